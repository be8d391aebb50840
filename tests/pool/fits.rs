//! Fits whose starts a pool searches from: the same report as here.

use std::process::Stdio;

use super::{Pool, signal, wait_until};
use crate::cli::Outcome;

/// y = sin(w·t + p) with w, the table of p and its gain as parameters: many minima in w.
const SINE: &str = r#"<simulation steps="10" delta="0.05" root="r"><variable name="phase" value="0"/><model name="r">
    <block id="0" group="Var" name="Clock"/>
    <block id="1" group="Math" name="Gain"><option name="Gain"><value>1</value></option></block>
    <block id="2" group="Var" name="From File"><option name="File"><value>p.csv</value></option>
    <option name="Columns"><value>p</value></option></block>
    <block id="4" group="Math" name="Sum"/>
    <block id="5" group="User" name="Formula"><option name="Formula"><value>y = sin(u)</value></option></block>
    <exit id="6" name="y"/>
    <connection from="0" output="Output" to="1" input="Input"/>
    <connection from="1" output="Output" to="4" input="Input 1"/>
    <connection from="2" output="Output" to="4" input="Input 2"/>
    <connection from="4" output="Output" to="5" input="u"/>
    <connection from="5" output="y" to="6" input="Input"/>
    </model></simulation>"#;

const FIT: [&str; 6] = ["fit", "m.simx", "--data", "d.csv", "--parameter", "#1.Gain=0.5:10"];

fn pool(workers: usize) -> Pool {
    let rows = (0..200).map(|row| 0.05 * f64::from(row));
    let rows: String = rows.map(|t| format!("{t},{}\n", (7.0 * t + 0.25).sin())).collect();
    let data = format!("time,y\n{rows}");
    Pool::start(&[("m.simx", SINE), ("d.csv", &data), ("p.csv", "t,p\n0,0.25\n100,0.25\n")], "", workers)
}

#[track_caller]
fn fit(pool: &Pool, more: &[&str]) -> Outcome {
    crate::cli::simulate(pool.folder.path(), &[&FIT[..], more].concat())
}

/// Tables, settings and starts travel; the report with the minima of all starts and the number of runs is the same.
#[test]
fn a_fit_on_a_pool_has_the_report_of_one_here() {
    needs_server!();
    let pool = pool(2);
    let address = pool.address();
    for more in [
        &["--format", "json"][..],
        &["--loss", "cauchy", "--loss-scale", "0.1", "--format", "json"],
        &["--set-for", "d.csv", "#1.Gain=2", "--profile", "--seed", "5"],
    ] {
        let here = fit(&pool, &[more, &["--starts", "20", "--threads", "1"]].concat());
        let there = fit(&pool, &[more, &["--starts", "20", "--pool", &address]].concat());
        assert_eq!((there.code, &*there.out), (here.code, &*here.out), "{}", there.err);
        assert!(here.code == 0 && here.out.contains('7'), "{} {}", here.out, here.err);
        assert!(there.err.contains("20 starts"), "{}", there.err);
    }
    let listed = pool.sweep(&["--list", "--format", "json"]).out;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["sweeps"].as_array().unwrap().len(), 0);
    let runs = listed["workers"].as_array().unwrap().iter().map(|worker| worker["runs"].as_u64().unwrap());
    assert_eq!(runs.sum::<u64>(), 60);
}

/// An interrupted fit prints its best values, and the pool keeps nothing; a command that attaches to a fit is refused.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_fit_leaves_nothing_in_the_pool() {
    needs_server!();
    let pool = pool(0);
    let address = pool.address();
    let mut command = pool.command(&[&FIT[..], &["--starts", "20", "--pool", &address]].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut listed = String::new();
    wait_until("the pool has the fit", || {
        listed = pool.sweep(&["--list"]).out;
        listed.contains("m.simx: 0 of 20 runs")
    });
    let id = listed.lines().nth(1).and_then(|line| line.split_whitespace().next()).unwrap();
    let attached = pool.sweep(&["--attach", id, "--out", "out.csv"]);
    assert!(attached.code == 1 && attached.err.contains(&format!("{id} is a fit")), "{}", attached.err);
    signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("stopped the fit; the best values so far follow"), "{err}");
    assert!(pool.sweep(&["--list"]).out.starts_with("0 sweeps"));
}

/// A start whose search takes longer than it may counts as failed, and is named.
#[test]
fn a_start_that_takes_too_long_is_named() {
    needs_server!();
    let pool = pool(1);
    let address = pool.address();
    let outcome = fit(&pool, &["--pool", &address, "--start-limit", "0.001", "--delta", "0.0005"]);
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    assert!(outcome.err.contains("warning: start 1: in each of 3 tries"), "{}", outcome.err);
    let refused = fit(&pool, &["--pool", &address, "--start-limit", "0"]);
    assert!(refused.err.contains("--start-limit 0: expected a positive number of seconds"), "{}", refused.err);
}
