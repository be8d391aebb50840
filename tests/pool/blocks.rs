//! Model blocks in the workers of a pool: the same bytes as here, whatever happens to the workers.

use std::fs;
use std::time::Duration;

use super::{Pool, wait_until};
use crate::cli::Outcome;

/// A plant here, and two controllers in workers: each an integrator, and one a delay.
pub fn file(steps: u64, solver: &str) -> String {
    format!(
        r#"<simulation steps="{steps}" delta="0.01" root="Main" solver="{solver}"><model name="Main">
    <block id="1" group="Math" name="Integrate"><option name="Initial Value"><value>0.3</value></option></block>
    <model id="2" model="Controller" on="pool"/>
    <model id="3" model="Controller" on="pool"/>
    <block id="4" group="Math" name="Sum"/>
    <exit id="5" name="x"/>
    <connection from="1" output="Output" to="2" input="x"/>
    <connection from="1" output="Output" to="3" input="x"/>
    <connection from="2" output="u" to="4" input="Input 1"/>
    <connection from="3" output="u" to="4" input="Input 2"/>
    <connection from="4" output="Output" to="1" input="Input"/>
    <connection from="1" output="Output" to="5" input="Input"/>
    </model><model name="Controller">
    <entry id="0" name="x"/><exit id="1" name="u"/>
    <block id="2" group="Math" name="Gain"><option name="Gain"><value>-0.6</value></option></block>
    <block id="3" group="Math" name="Integrate"/>
    <block id="4" group="Discrete" name="Unit Delay"/>
    <block id="5" group="Math" name="Sum"/>
    <block id="6" group="Math" name="Gain"><option name="Gain"><value>-0.1</value></option></block>
    <connection from="0" output="Output" to="2" input="Input"/>
    <connection from="0" output="Output" to="3" input="Input"/>
    <connection from="3" output="Output" to="6" input="Input"/>
    <connection from="2" output="Output" to="4" input="Input"/>
    <connection from="4" output="Output" to="5" input="Input 1"/>
    <connection from="6" output="Output" to="5" input="Input 2"/>
    <connection from="5" output="Output" to="1" input="Input"/>
    </model></simulation>"#
    )
}

const OUT: [&str; 5] = ["--hex", "--signals", "all", "--out", "out.csv"];

fn run(pool: &Pool, args: &[&str]) -> Outcome {
    outcome(pool.command(&[&["run", "m.simx"], &OUT[..], args].concat()).output().expect("it starts"))
}

fn outcome(output: std::process::Output) -> Outcome {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { out: text(output.stdout), err: text(output.stderr), code: output.status.code().unwrap() }
}

fn bytes(pool: &Pool) -> Vec<u8> {
    fs::read(pool.folder.path().join("out.csv")).expect("results")
}

#[test]
fn blocks_in_workers_give_the_bytes_of_this_computer() {
    needs_server!();
    for solver in ["rk4", "radau35"] {
        let pool = Pool::start(&[("m.simx", &file(300, solver))], "", 2);
        assert_eq!(run(&pool, &["--here"]).code, 0);
        let here = bytes(&pool);
        fs::remove_file(pool.folder.path().join("out.csv")).unwrap();
        wait_until("a worker has joined", || pool.worker_log(0).contains("has joined"));
        let there = run(&pool, &["--pool", &pool.address()]);
        assert_eq!(there.code, 0, "{there:?}");
        assert_eq!(there.err.matches(" exchanges a step, ").count(), 2, "{}", there.err);
        println!("{}", there.err);
        assert!(bytes(&pool) == here, "other bytes with {solver}");
    }
}

#[test]
fn a_killed_worker_costs_time() {
    needs_server!();
    let mut pool = Pool::start(&[("m.simx", &file(6000, "rk4"))], "", 2);
    assert_eq!(run(&pool, &["--here"]).code, 0);
    let here = bytes(&pool);
    for number in 0..2 {
        wait_until("the workers have joined", || pool.worker_log(number).contains("has joined"));
    }
    let address = pool.address();
    let mut command = pool.command(&[&["run", "m.simx"], &OUT[..], &["--pool", &address]].concat());
    let command = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(1500));
    // Each block is in one of the two workers; the second one is killed when there is a third.
    pool.workers.kill(0);
    pool.add_worker(&[]);
    wait_until("the third worker has joined", || pool.worker_log(2).contains("has joined"));
    pool.workers.kill(1);
    let ended = outcome(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.err.contains("lost and replaced"), "{}", ended.err);
    assert!(bytes(&pool) == here, "other bytes");
}

#[test]
fn without_a_worker_the_run_says_what_to_do() {
    needs_server!();
    let pool = Pool::start(&[("m.simx", &file(10, "rk4"))], "", 0);
    let asked = run(&pool, &[]);
    assert!(asked.err.contains("is to run on the pool “pool”"), "{}", asked.err);
    assert!(asked.err.contains("--here"), "{}", asked.err);
    let nobody = run(&pool, &["--pool", &pool.address()]);
    assert_ne!(nobody.code, 0);
    assert!(nobody.err.contains("no worker with version"), "{}", nobody.err);
    assert!(nobody.err.contains("add --here to run all blocks on this computer"), "{}", nobody.err);
}
