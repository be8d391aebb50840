//! What others write to the server: a pool refuses it with a reason, or does without it, and goes on.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use simulate::engine::Curve;
use simulate::pool::message::{PartHead, PoolMessage as _, RunRange, SweepChunk, SweepEntry, SweepPart};
use simulate::pool::{PoolOptions, entry};

use super::{DECAY, Pool, same_bytes, wait_until};

const ARGS: [&str; 5] = ["d.simx", "--vary", "begin=1:2:10", "--out", "out.csv"];

/// Another client of the server.
struct Stranger(TcpStream);

impl Stranger {
    fn of(pool: &Pool) -> Stranger {
        let mut server = TcpStream::connect(("127.0.0.1", pool.port)).unwrap();
        server.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        server.write_all(b"CONNECT {\"verbose\":false,\"headers\":true}\r\n").unwrap();
        Stranger(server)
    }

    /// Publishes a message, and waits until the server has it.
    fn publish(&mut self, subject: &str, payload: &[u8]) {
        self.send(&format!("PUB {subject} {}\r\n", payload.len()), payload);
    }

    /// Publishes a message that replaces those of its subject.
    fn replace(&mut self, subject: &str, payload: &[u8]) {
        let head = "NATS/1.0\r\nNats-Rollup: sub\r\n\r\n";
        let line = format!("HPUB {subject} {} {}\r\n{head}", head.len(), head.len() + payload.len());
        self.send(&line, payload);
    }

    fn send(&mut self, line: &str, payload: &[u8]) {
        self.0.write_all(&[line.as_bytes(), payload, b"\r\nPING\r\n"].concat()).unwrap();
        let (mut heard, mut part) = (Vec::new(), [0; 4096]);
        while !heard.windows(4).any(|four| four == b"PONG") {
            let count = self.0.read(&mut part).unwrap();
            assert!(count > 0, "the server has closed the connection");
            heard.extend_from_slice(&part[..count]);
        }
    }

    /// Replaces what the store of models says of a model.
    fn describe(&mut self, model: &str, nuid: &str, (size, chunks): (usize, usize), options: &str) {
        let info = format!(
            r#"{{"name":"{model}","bucket":"simulate_models","nuid":"{nuid}","size":{size},"chunks":{chunks},
            "mtime":"2024-01-01T00:00:00Z","options":{options}}}"#
        );
        self.replace(&format!("$O.simulate_models.M.{}", base64(model.as_bytes())), info.as_bytes());
    }
}

/// The form in which the store has the names of models.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|index| u32::from(three.get(index).copied().unwrap_or(0)));
        let digits =
            [18, 12, 6, 0].map(|shift| char::from(DIGITS[((((a << 16) | (b << 8) | c) >> shift) & 63) as usize]));
        text.extend(&digits[..=three.len()]);
        text.extend(std::iter::repeat_n('=', 3 - three.len()));
    }
    text
}

/// A pool that has been handed a sweep of ten runs, without a worker.
fn handed_out() -> (Pool, SweepEntry) {
    let pool = Pool::start(&[("d.simx", DECAY)], "", 0);
    let outcome = pool.sweep(&[&ARGS[..], &["--detach"]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let entry = known(&pool, outcome.out.trim());
    (pool, entry)
}

fn known(pool: &Pool, sweep: &str) -> SweepEntry {
    let options = PoolOptions { servers: pool.address(), ..PoolOptions::default() };
    entry(&options, sweep).unwrap().0
}

/// Collects the sweep, whose bytes are to be those of the same sweep here.
#[track_caller]
fn check_bytes(pool: &Pool) {
    let outcome = pool.sweep(&ARGS);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let here = pool.local(&["d.simx", "--vary", "begin=1:2:10", "--out", "here.csv", "--force"]);
    assert_eq!(here.code, 0, "{}", here.err);
    same_bytes(&pool.path("here.csv"), &pool.path("out.csv"));
}

/// A message with the curve of each run, of so many signals.
fn part(sweep: &str, signals: usize) -> Vec<u8> {
    let mut curves = Vec::new();
    for run in 0..10 {
        let curve = Curve { run, steps: vec![199], values: vec![vec![42.0]; signals], failure: None };
        SweepPart::append(&mut curves, &curve.to_bytes());
    }
    let head = PartHead { sweep: sweep.to_owned(), worker: "liar/1".to_owned(), micros: 1, object: None };
    SweepPart { head, curves }.to_bytes()
}

#[test]
fn results_of_another_sweep_are_not_taken() {
    needs_server!();
    let (mut pool, entry) = handed_out();
    Stranger::of(&pool).publish(&format!("simulate.result.{}", entry.sweep), &part("0123456789abcdef", 1));
    pool.add_worker(&[]);
    check_bytes(&pool);
}

#[test]
fn results_that_the_sweep_cannot_have_end_it_and_are_not_kept() {
    needs_server!();
    let (mut pool, entry) = handed_out();
    for signals in [0, 2] {
        Stranger::of(&pool).publish(&format!("simulate.result.{}", entry.sweep), &part(&entry.sweep, signals));
        let outcome = pool.sweep(&ARGS);
        assert_eq!(outcome.code, 1, "{}", outcome.err);
        let expected = "run 0 of worker liar/1 has other signals or steps than the sweep has";
        assert!(outcome.err.contains(expected), "{}", outcome.err);
    }
    // The same command goes on without them.
    pool.add_worker(&[]);
    check_bytes(&pool);
}

/// They would have been taken for those of the next sweep of the same id.
#[test]
fn results_that_come_after_the_end_are_removed() {
    needs_server!();
    let (mut pool, entry) = handed_out();
    pool.add_worker(&[]);
    check_bytes(&pool);
    Stranger::of(&pool).publish(&format!("simulate.result.{}", entry.sweep), &part(&entry.sweep, 1));
    check_bytes(&pool);
}

/// The worker took its model for one that it cannot run, and passed the chunk on without an end.
#[test]
fn a_chunk_with_runs_that_the_sweep_does_not_have_is_dropped() {
    needs_server!();
    let (mut pool, entry) = handed_out();
    pool.add_worker(&[]);
    wait_until("the worker has joined", || pool.worker_log(0).contains("its queue is workers-"));
    let log = pool.worker_log(0);
    let key = log.split("its queue is workers-").nth(1).unwrap().split_whitespace().next().unwrap();
    let subject = format!("simulate.job.{key}.{}", entry.sweep);
    for (ask, first, count) in [(1, 5000, 10), (2, 0, 100_000_000)] {
        let ranges = vec![RunRange { first, count }];
        let chunk = SweepChunk { sweep: entry.sweep.clone(), model: entry.model.clone(), ask, ranges };
        Stranger::of(&pool).publish(&subject, &chunk.to_bytes());
    }
    let dropped = "a chunk was dropped: the sweep does not have its runs";
    wait_until("both are dropped", || pool.worker_log(0).matches(dropped).count() == 2);
    check_bytes(&pool);
    assert!(!pool.worker_log(0).contains("answers as it should not"), "{}", pool.worker_log(0));
}

#[test]
fn a_model_that_was_replaced_is_stored_again() {
    needs_server!();
    let (mut pool, entry) = handed_out();
    let options = PoolOptions { servers: pool.address(), ..PoolOptions::default() };
    let (_, _, mut bytes) = simulate::pool::entry(&options, &entry.sweep).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let mut stranger = Stranger::of(&pool);
    stranger.publish("$O.simulate_models.C.other", &bytes);
    stranger.describe(&entry.model, "other", (bytes.len(), 1), "{}");
    pool.add_worker(&[]);
    check_bytes(&pool);
}

/// The client of the server follows links, which ended the worker by an overflow of its stack.
#[test]
fn a_model_that_is_a_link_to_itself_is_stored_again() {
    needs_server!();
    let (mut pool, entry) = handed_out();
    let link = format!(r#"{{"link":{{"name":"{}","bucket":"simulate_models"}}}}"#, entry.model);
    Stranger::of(&pool).describe(&entry.model, "none", (0, 0), &link);
    pool.add_worker(&[]);
    check_bytes(&pool);
}

#[test]
fn a_sweep_with_another_number_of_runs_than_its_model_is_not_attached_to() {
    needs_server!();
    let (pool, entry) = handed_out();
    let fewer = SweepEntry { runs: 3, ..entry.clone() };
    Stranger::of(&pool).publish(&format!("$KV.simulate_sweeps.{}", entry.sweep), &fewer.to_bytes());
    let outcome = pool.sweep(&["--attach", &entry.sweep]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.err.contains("has 3 runs, but its model has 10"), "{}", outcome.err);
}

/// Where the results go is what somebody has written to the pool.
#[test]
fn no_file_that_exists_is_replaced_because_the_pool_says_so() {
    needs_server!();
    let (pool, entry) = handed_out();
    fs::write(pool.path("out.csv"), "mine").unwrap();
    let outcome = pool.sweep(&["--attach", &entry.sweep]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.err.contains("out.csv, which exists: say where they go with --out FILE"), "{}", outcome.err);
    assert_eq!(fs::read_to_string(pool.path("out.csv")).unwrap(), "mine");
}
