//! Sweeps whose workers, server, streams and submitter fail.

use std::fs;
use std::process::Command;
use std::sync::OnceLock;

use super::{DECAY, Pool, has_results, signal, wait_until};

/// A sweep that takes some seconds.
pub const ARGS: [&str; 7] = ["d.simx", "--vary", "#2.Gain=-2:1:40", "--vary", "begin=-1:1:50", "--steps", "10000"];

/// Compares the result file of that sweep with the one of this computer, which is computed once for all tests.
#[track_caller]
pub fn check_bytes(pool: &Pool) {
    static HERE: OnceLock<Vec<u8>> = OnceLock::new();
    let here = HERE.get_or_init(|| {
        let folder = crate::cli::folder(&[("d.simx", DECAY)]);
        let args = [&["sweep"], &ARGS[..], &["--threads", "1", "--out", "here.csv"]].concat();
        assert_eq!(crate::cli::simulate(folder.path(), &args).code, 0);
        fs::read(folder.path().join("here.csv")).unwrap()
    });
    let there = fs::read(pool.path("out.csv")).unwrap();
    assert!(*here == there, "{} and {} bytes differ", here.len(), there.len());
}

#[track_caller]
fn begun(pool: &Pool) {
    wait_until("there are results", || has_results(&pool.path("out.csv.part")));
}

/// A sweep during which something fails has the bytes of one here.
#[track_caller]
fn check(fail: impl FnOnce(&mut Pool)) {
    let mut pool = Pool::start(&[("d.simx", DECAY)], "", 2);
    let sweeping = pool.begin(&[&ARGS[..], &["--out", "out.csv"]].concat());
    begun(&pool);
    fail(&mut pool);
    let outcome = sweeping.outcome();
    assert_eq!((outcome.code, &*outcome.out), (0, "2000 runs, 0 failed\n"), "{}", outcome.err);
    check_bytes(&pool);
}

#[test]
fn a_worker_is_killed() {
    needs_server!();
    check(|pool| pool.workers.kill(0));
}

#[test]
fn a_worker_hangs() {
    needs_server!();
    check(|pool| signal(pool.workers.id(0), "STOP"));
}

#[test]
fn the_server_is_killed_and_comes_back() {
    needs_server!();
    check(|pool| {
        pool.stop_server();
        pool.start_server();
    });
}

#[test]
fn the_server_loses_all_that_it_had() {
    needs_server!();
    check(|pool| {
        pool.stop_server();
        fs::remove_dir_all(pool.path("store")).unwrap();
        pool.start_server();
    });
}

#[test]
fn the_submitter_is_killed_and_goes_on() {
    needs_server!();
    let pool = Pool::start(&[("d.simx", DECAY)], "", 2);
    let args = [&ARGS[..], &["--out", "out.csv"]].concat();
    for _ in 0..2 {
        let mut sweeping = pool.begin(&args);
        begun(&pool);
        sweeping.kill();
    }
    let outcome = pool.sweep(&args);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("resuming: "), "{}", outcome.err);
    check_bytes(&pool);
}

/// The journals of both kinds are the same: what was begun on a pool is finished here.
#[test]
fn a_sweep_that_was_begun_on_a_pool_is_finished_here() {
    needs_server!();
    let pool = Pool::start(&[("d.simx", DECAY)], "", 1);
    let args = [&ARGS[..], &["--out", "out.csv"]].concat();
    let mut sweeping = pool.begin(&args);
    begun(&pool);
    sweeping.kill();
    let outcome = pool.local(&args);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("resuming: "), "{}", outcome.err);
    check_bytes(&pool);
}

/// A worker of another version is not used, and the submitter says which it has.
#[test]
fn a_worker_of_another_version_is_refused_with_a_reason() {
    needs_server!();
    let mut pool = Pool::start(&[("d.simx", DECAY)], "", 0);
    let log = fs::File::create(pool.path("sweep.log")).unwrap();
    let address = pool.address();
    let args = ["sweep", "d.simx", "--vary", "begin=1,2", "--out", "out.csv", "--pool", &address];
    let child = pool.command(&args).stdout(std::process::Stdio::null()).stderr(log).spawn().unwrap();
    let mut sweeping = super::Running(vec![child]);
    let said = |what: &str| fs::read_to_string(pool.path("sweep.log")).unwrap().contains(what);
    wait_until("it is handed out", || said("2 runs"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pool/old_worker.py");
    let old = Command::new("python3").args([script, &pool.port.to_string()]).status().unwrap();
    assert!(old.success());
    wait_until("it is refused", || {
        said("worker old/1 is not used: it has version 0.0.1 with block library 0000000000000000")
    });
    assert!(said("this program version"), "it says its own, too");
    pool.add_worker(&[]);
    assert_eq!(sweeping.wait(0), Some(0));
}

/// A ramp behind delays of `n` samples each, which take as much memory.
fn delays(n: u64) -> String {
    let delay = |id: u32| {
        format!(
            "<block id=\"{id}\" group=\"Discrete\" name=\"Delay\"><option name=\"Length\"><value>n</value></option></block>\
             <connection from=\"{}\" output=\"Output\" to=\"{id}\" input=\"Input\"/>",
            id - 1
        )
    };
    let delays: String = (2..10).map(delay).collect();
    format!(
        "<simulation steps=\"20\" delta=\"1\" root=\"M\"><variable name=\"n\" value=\"{n}\"/><model name=\"M\">\
         <block id=\"1\" group=\"Var\" name=\"Ramp\"/>{delays}<exit id=\"10\" name=\"y\"/>\
         <connection from=\"9\" output=\"Output\" to=\"10\" input=\"Input\"/></model></simulation>"
    )
}

/// A worker whose memory is too small for the model says so, and the sweep ends when all of them do. One that can runs it.
#[test]
fn a_worker_that_cannot_load_the_model_says_why() {
    needs_server!();
    let mut pool = Pool::start(&[("m.simx", &delays(5_000_000))], "", 0);
    // On a loaded processor a worker takes its first chunk only after seconds. That is no loss, so runs are asked for again
    // as late as with the usual times.
    pool.times = "2000,20000,100";
    pool.add_worker(&["--memory", "256M"]);
    let args = ["m.simx", "--vary", "#1.Positive Slope=1,2", "--out", "out.csv"];
    let outcome = pool.sweep(&args);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.err.contains("cannot run the sweep: its process was ended by the signal 6"), "{}", outcome.err);
    assert!(outcome.err.contains("it may use 256 MB of memory (--memory)"), "{}", outcome.err);
    assert!(outcome.err.contains("no worker of the pool can run the sweep"), "{}", outcome.err);
    // It leaves its chunks to one that can: nothing has to be asked for again.
    pool.add_worker(&["--memory", "2G"]);
    wait_until("it has joined", || pool.worker_log(1).contains("has joined"));
    let outcome = pool.sweep(&args);
    assert_eq!((outcome.code, &*outcome.out), (0, "2 runs, 0 failed\n"), "{}", outcome.err);
    assert!(!outcome.err.contains("asked for again"), "{}", outcome.err);
}

/// A run that takes all memory of its process, and one that does not end, are failed ones; the others are as here.
#[test]
fn a_run_that_ends_its_process_is_a_failed_run() {
    needs_server!();
    let mut pool = Pool::start(&[("m.simx", &delays(1)), ("d.simx", DECAY)], "", 0);
    pool.add_worker(&["--memory", "512M"]);
    let outcome = pool.sweep(&["m.simx", "--vary", "n=1,10000000,2", "--failures", "failed.csv"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    let failure =
        "run 1 (n=10000000): in each of 3 tries, alone in a process of its own, its process was ended by the signal 6";
    assert!(outcome.err.contains(failure), "{}", outcome.err);
    let here = pool.local(&["m.simx", "--vary", "n=1,10,2"]).out;
    let without_the_second = here.lines().filter(|line| !line.starts_with("1,")).map(|line| format!("{line}\n"));
    assert_eq!(outcome.out, without_the_second.collect::<String>());
    let line = outcome.err.lines().find(|line| line.contains("run 1 (n=")).unwrap();
    let reason = line.split_once("): ").unwrap().1;
    let listed = fs::read_to_string(pool.path("failed.csv")).unwrap();
    assert_eq!(listed, format!("run,n,failure\n1,10000000,\"{reason}\"\n"));
    let json = pool.sweep(&["m.simx", "--vary", "n=1,10000000,2", "--out", "o.csv", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let failed = serde_json::json!([{"run": 1, "values": {"n": 10_000_000.0}, "failure": reason}]);
    assert_eq!((&json["failed"], &json["failures"]), (&1.into(), &failed));
    let outcome = pool.sweep(&["d.simx", "--vary", "begin=1", "--steps", "2000000000", "--run-limit", "0.5"]);
    assert!(outcome.err.contains("of its own, it did not end within 0.5 s"), "{}", outcome.err);
}

/// The process that computes is killed whenever it is seen; the point is tried again.
#[test]
fn the_processes_that_compute_are_killed() {
    needs_server!();
    check(|pool| {
        for _ in 0..5 {
            let parents = format!("{},{}", pool.workers.id(0), pool.workers.id(1));
            let found = Command::new("pgrep").args(["-P", &parents]).output().unwrap();
            for child in String::from_utf8(found.stdout).unwrap().lines() {
                // It may have ended meanwhile.
                let _ = Command::new("kill").args(["-9", child]).status();
            }
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
    });
}
