//! Sweeps without faults.

use std::fs;
use std::path::Path;

use super::{DECAY, Pool, has_results, same_bytes, signal, wait_until};

const ARGS: [&str; 5] = ["d.simx", "--vary", "#2.Gain=-2:1:40", "--vary", "begin=-1:1:50"];

#[test]
fn a_sweep_on_a_pool_has_the_bytes_of_one_here() {
    needs_server!();
    let pool = Pool::start(&[("d.simx", DECAY)], "", 2);
    for (out, more) in [("out.csv", &[][..]), ("out.parquet", &["--every", "50"])] {
        let here = format!("here-{out}");
        assert_eq!(pool.local(&[&ARGS, more, &["--out", &here]].concat()).code, 0);
        let outcome = pool.sweep(&[&ARGS, more, &["--out", out]].concat());
        assert_eq!((outcome.code, &*outcome.out), (0, "2000 runs, 0 failed\n"), "{}", outcome.err);
        same_bytes(&pool.path(&here), &pool.path(out));
        assert!(!pool.path(&format!("{out}.part")).exists());
    }
    // Without a file, as text; random values; nothing else is printed.
    let random = ["d.simx", "--vary", "begin=normal(0,1)", "--draws", "100", "--seed", "7", "-q"];
    let (here, there) = (pool.local(&random), pool.sweep(&random));
    assert_eq!((&*there.out, &*there.err, there.code), (&*here.out, "", 0));
    // Both workers have taken part, and the pool keeps nothing.
    let listing = pool.sweep(&["--list", "--format", "json"]);
    let listing: serde_json::Value = serde_json::from_str(&listing.out).unwrap();
    assert_eq!(listing["sweeps"].as_array().unwrap().len(), 0);
    let workers = listing["workers"].as_array().unwrap();
    assert_eq!(workers.len(), 2, "{listing}");
    assert_eq!(workers.iter().map(|worker| worker["runs"].as_u64().unwrap()).sum::<u64>(), 4100);
}

/// The design travels with the sweep: values and indices have the same bits.
#[test]
fn a_design_on_a_pool_has_the_bytes_of_one_here() {
    needs_server!();
    let pool = Pool::start(&[("d.simx", DECAY)], "", 2);
    let ranges =
        ["d.simx", "--vary", "#2.Gain=uniform(-2,-1)", "--vary", "begin=loguniform(0.1,10)", "--seed", "3", "-q"];
    for design in [
        &["--design", "lhs", "--samples", "100"][..],
        &["--design", "sobol", "--samples", "128"],
        &["--design", "halton", "--samples", "100"],
        &["--morris", "40", "--every", "10"],
        &["--sobol-indices", "64"],
    ] {
        let [here, there] = ["here", "there"].map(|name| {
            let files = [format!("{name}.csv"), format!("{name}-indices.csv")];
            let mut args = [&ranges[..], design, &["--out", &files[0]]].concat();
            if design.len() != 4 || design[0] == "--morris" {
                args.extend(["--indices", &files[1]]);
            }
            let outcome = if name == "here" { pool.local(&args) } else { pool.sweep(&args) };
            assert_eq!((outcome.code, &*outcome.err), (0, ""), "{design:?}");
            (outcome.out, files.map(|file| fs::read(pool.path(&file)).ok()))
        });
        assert!(here.1[0].is_some() && here == there, "{design:?}");
    }
    // Who attaches to the sweep gets the indices, too.
    let screening = [&ranges[..], &["--morris", "40", "--every", "10"]].concat();
    let here = pool.local(&[&screening[..], &["--out", "whole.csv"]].concat());
    let id = pool.sweep(&[&screening[..], &["--out", "later.csv", "--detach"]].concat()).out.trim().to_owned();
    let there = pool.sweep(&["--attach", &id, "-q", "--indices", "later-indices.csv"]);
    assert_eq!((there.code, &*there.out), (0, &*here.out), "{}", there.err);
    assert!(fs::read_to_string(pool.path("later-indices.csv")).unwrap().lines().count() > 8);
    same_bytes(&pool.path("whole.csv"), &pool.path("later.csv"));
}

/// The second one of a second is not taken for the first one again.
#[test]
fn the_same_sweep_again_is_computed_again() {
    needs_server!();
    let pool = Pool::start(&[("d.simx", DECAY)], "", 1);
    for _ in 0..3 {
        let outcome = pool.sweep(&["d.simx", "--vary", "begin=1", "--out", "out.csv"]);
        assert_eq!(outcome.code, 0);
        assert!(!outcome.err.contains("asked for again"), "{}", outcome.err);
    }
}

#[test]
fn tables_and_settings_travel_with_the_model() {
    needs_server!();
    let model = r#"<simulation steps="4" delta="1" root="M"><model name="M">
        <block id="1" group="Var" name="From File"><option name="File"><value>t.csv</value></option>
        <option name="Columns"><value>y</value></option></block>
        <block id="2" group="Math" name="Gain"><option name="Gain"><value>2</value></option></block><exit id="3" name="y"/>
        <connection from="1" output="Output" to="2" input="Input"/>
        <connection from="2" output="Output" to="3" input="Input"/></model></simulation>"#;
    let pool = Pool::start(&[("m.simx", model), ("t.csv", "t,y\n0,1\n1,2.5\n2,-3\n3,1e-300\n4,7\n")], "", 1);
    let args = ["m.simx", "--vary", "#2.Gain=1:3:20", "--delta", "0.5", "--steps", "8", "--every", "1", "-q"];
    let here = pool.local(&args);
    assert_eq!(here.code, 0, "{}", here.err);
    assert!(here.out.contains("-3"), "{}", here.out);
    let there = pool.sweep(&args);
    assert_eq!((&*there.out, there.code), (&*here.out, 0), "{}", there.err);
}

#[test]
fn a_sweep_goes_on_without_its_command_and_can_be_attached_to_and_cancelled() {
    needs_server!();
    let mut pool = Pool::start(&[("d.simx", DECAY)], "", 0);
    let detached = [&ARGS[..], &["--out", "out.csv", "--detach"]].concat();
    let id = pool.sweep(&detached).out.trim().to_owned();
    assert_eq!(id.len(), 16);
    let listed = pool.sweep(&["--list"]).out;
    assert!(listed.contains(&format!("{id}  d.simx: 0 of 2000 runs")), "{listed}");
    pool.add_worker(&[]);
    assert_eq!(pool.local(&[&ARGS[..], &["--out", "here.csv"]].concat()).code, 0);
    let outcome = pool.sweep(&["--attach", &id]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    same_bytes(&pool.path("here.csv"), &pool.path("out.csv"));
    // Again, now cancelled: nothing is left, and the same sweep can begin anew.
    let long = [&detached[..], &["--steps", "100000"]].concat();
    let id = pool.sweep(&long).out.trim().to_owned();
    let cancelled = pool.sweep(&["--cancel", &id]);
    assert_eq!(cancelled.code, 0, "{}", cancelled.err);
    assert!(pool.sweep(&["--list"]).out.starts_with("0 sweeps"));
    let outcome = pool.sweep(&["--attach", &id]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains(&format!("the pool has no sweep {id}")), "{}", outcome.err);
    assert_eq!(pool.sweep(&detached).code, 0);
    let outcome = pool.sweep(&[&ARGS[..], &["--out", "out.csv"]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    same_bytes(&pool.path("here.csv"), &pool.path("out.csv"));
}

#[test]
fn what_a_pool_cannot_run_is_refused_before_it_is_sent() {
    needs_server!();
    let pool = Pool::start(&[("d.simx", DECAY)], "", 0);
    let outcome = pool.sweep(&["d.simx", "--vary", "nothing=1,2"]);
    assert_eq!(outcome.code, 1);
    let huge = ["d.simx", "--vary", "begin=1,2", "--every", "1", "--steps", "9000000"];
    let outcome = pool.sweep(&huge);
    assert!(outcome.err.contains("a pool takes at most 48"), "{}", outcome.err);
    assert!(pool.sweep(&["--list"]).out.starts_with("0 sweeps\n0 workers"));
}

#[test]
fn a_worker_that_is_told_to_end_hands_back_what_it_holds() {
    needs_server!();
    let mut pool = Pool::start(&[("d.simx", DECAY)], "", 1);
    let sweeping = pool.begin(&[&super::faults::ARGS[..], &["--out", "out.csv"]].concat());
    wait_until("there are results", || has_results(&pool.path("out.csv.part")));
    pool.add_worker(&[]);
    signal(pool.workers.id(0), "TERM");
    assert_eq!(pool.workers.wait(0), Some(0));
    assert!(pool.worker_log(0).contains("the worker has left after"), "{}", pool.worker_log(0));
    let outcome = sweeping.outcome();
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(!outcome.err.contains("asked for again"), "{}", outcome.err);
    super::faults::check_bytes(&pool);
}

/// The commands of the chapter on pools, with the address of this server and the id of a sweep that it has.
#[test]
fn the_commands_of_the_manual_run() {
    needs_server!();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let motor = fs::read_to_string(root.join("assets/examples/dc_motor.simx")).unwrap();
    let chapter = fs::read_to_string(root.join("assets/manual/pools.md")).unwrap();
    let pool = Pool::start(&[("dc_motor.simx", &motor)], "", 1);
    let mut tried = Vec::new();
    for line in chapter.lines().filter_map(|line| line.strip_prefix("$ simulate sweep ")) {
        let detached = pool.sweep(&["dc_motor.simx", "--vary", "PID/P.Gain=1,2", "--out", "other.csv", "--detach"]);
        assert_eq!(detached.code, 0, "{detached:?}");
        let (line, address) = line.rsplit_once(" --pool ").expect("the pool is named last");
        assert_eq!(address, "nats://127.0.0.1:4222");
        let words = line.replace('"', "").replace("3555612dd96a9399", detached.out.trim());
        let words: Vec<&str> = words.split(' ').collect();
        let outcome = pool.sweep(&words);
        assert_eq!(outcome.code, 0, "{line}: {}", outcome.err);
        tried.extend(words.iter().find(|word| word.starts_with("--")).map(|word| (*word).to_owned()));
    }
    assert_eq!(tried, ["--vary", "--list", "--attach", "--cancel"]);
    assert_eq!(fs::read_to_string(pool.path("results.csv")).unwrap().lines().count(), 202);
}
