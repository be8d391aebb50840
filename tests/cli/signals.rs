//! Ctrl+C and the signals that end a process: what is complete stays.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Outcome, command, folder, simulate};

/// A run without an end for tests.
const STEPS: &str = "4000000000";

fn ramp(steps: &str) -> String {
    format!(
        r#"<simulation steps="{steps}" delta="0.5" root="M"><model name="M">
        <block id="0" group="Var" name="Static"><option name="Value"><value>1</value></option></block>
        <block id="1" group="Math" name="Integrate"/><exit id="2" name="y"/>
        <block id="3" group="Sink" name="To File"><option name="File"><value>block.csv</value></option></block>
        <connection from="0" output="Output" to="1" input="Input"/>
        <connection from="1" output="Output" to="3" input="Input 1"/>
        <connection from="1" output="Output" to="2" input="Input"/></model></simulation>"#
    )
}

/// The same without a file.
fn displayed(steps: &str) -> String {
    ramp(steps)
        .replace("To File", "Display")
        .replace("<option name=\"File\"><value>block.csv</value></option>", "")
        .replace("Input 1", "Input")
}

fn start(folder: &Path, args: &[&str]) -> Child {
    command(folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The temporary files, with their sizes.
fn temporary(folder: &Path) -> Vec<u64> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let temporary = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".simulate-"));
    temporary.filter_map(|entry| Some(entry.metadata().ok()?.len())).collect()
}

/// Waits until something holds; panics after a minute.
#[track_caller]
fn wait_until(what: &str, child: &mut Child, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(child.try_wait().unwrap().is_none(), "the program has ended before: {what}");
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

fn end(child: Child) -> Outcome {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { out: text(output.stdout), err: text(output.stderr), code: output.status.code().unwrap_or(-1) }
}

/// Starts a run, and sends it a signal once each of its files has rows.
fn stopped(folder: &Path, args: &[&str], files: usize, signal: &str) -> Outcome {
    let mut child = start(folder, args);
    wait_until("rows are written", &mut child, || {
        let sizes = temporary(folder);
        sizes.len() == files && sizes.iter().all(|size| *size > 1000)
    });
    send(&child, signal);
    end(child)
}

#[test]
fn a_signal_keeps_rows_and_checkpoint() {
    for (signal, name, code) in [("INT", "Ctrl+C (SIGINT)", 130), ("TERM", "SIGTERM", 143), ("HUP", "SIGHUP", 129)] {
        let folder = folder(&[("m.simx", &ramp(STEPS))]);
        let args = ["run", "m.simx", "-q", "--out", "o.csv", "--checkpoint", "half"];
        let outcome = stopped(folder.path(), &args, 2, signal);
        assert_eq!((outcome.code, &*outcome.out), (code, ""), "{}", outcome.err);
        assert!(outcome.err.starts_with(&format!("{name} stopped the run after ")), "{}", outcome.err);
        assert!(outcome.err.contains("--resume half") && outcome.err.contains("block.csv"), "{}", outcome.err);
        let steps: u64 = outcome.err.split(' ').find_map(|word| word.parse().ok()).unwrap();
        assert_eq!(temporary(folder.path()), Vec::<u64>::new());
        for file in ["o.csv", "block.csv"] {
            let table = fs::read_to_string(folder.path().join(file)).unwrap();
            let last = table.strip_suffix('\n').unwrap().lines().last().unwrap();
            let (step, time) = (steps - 1, (steps - 1) as f64 * 0.5);
            assert_eq!(last, format!("{step},{time},{time}"), "{file}: all steps up to the last");
            assert_eq!(table.lines().count() as u64, steps + 1, "{file}");
        }
        // The same command again would lose the rows so far.
        let end = (steps + 3).to_string();
        let rows = fs::read(folder.path().join("o.csv")).unwrap();
        let args = ["run", "m.simx", "-q", "--resume", "half", "--steps", &end, "--out", "o.csv"];
        let refused = simulate(folder.path(), &args);
        assert_eq!(refused.code, 1);
        assert!(refused.err.contains("o.csv has the rows before the checkpoint"), "{}", refused.err);
        assert!(fs::read(folder.path().join("o.csv")).unwrap() == rows);
        // It goes on as if nothing had happened.
        let args = ["run", "m.simx", "-q", "--resume", "half", "--steps", &end, "--out", "rest.csv"];
        let resumed = simulate(folder.path(), &args);
        assert_eq!(resumed.code, 0, "{}", resumed.err);
        let rest = fs::read_to_string(folder.path().join("rest.csv")).unwrap();
        assert!(rest.lines().nth(1).unwrap().starts_with(&format!("{steps},")), "{rest}");
        assert_eq!(rest.lines().count(), 4);
    }
}

/// Signals that come together: the second one ends the program at once, and leaves nothing.
#[test]
fn a_second_signal_ends_at_once() {
    let folder = folder(&[("m.simx", &ramp(STEPS))]);
    let mut child = start(folder.path(), &["run", "m.simx", "-q", "--out", "o.csv", "--engine", "simple"]);
    wait_until("rows are written", &mut child, || temporary(folder.path()).len() == 2);
    send(&child, "STOP");
    send(&child, "INT");
    send(&child, "TERM");
    send(&child, "CONT");
    let outcome = end(child);
    // Which of both is first is not said by the system, and whether the files are finished before the second is heard.
    assert!([130, 143].contains(&outcome.code), "{} {}", outcome.code, outcome.err);
    assert_eq!(temporary(folder.path()), Vec::<u64>::new());
}

/// Under nohup a closed terminal is no reason to stop.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_switched_off_stays_off() {
    let folder = folder(&[("m.simx", &ramp(STEPS))]);
    let line = format!("trap '' HUP; exec '{}' run m.simx -q --out o.csv", env!("CARGO_BIN_EXE_simulate"));
    let mut child = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).spawn().unwrap();
    let has_more = |least: u64| temporary(folder.path()).iter().all(|size| *size > least);
    wait_until("rows are written", &mut child, || temporary(folder.path()).len() == 2 && has_more(1000));
    send(&child, "HUP");
    let before = temporary(folder.path()).into_iter().max().unwrap();
    wait_until("more rows are written", &mut child, || has_more(before + 500_000));
    send(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn a_sweep_keeps_its_finished_runs() {
    let folder = folder(&[("m.simx", &displayed("20000"))]);
    let all = ["sweep", "m.simx", "--vary", "#0.Value=1:2:5000", "-q", "--threads", "1", "--out", "o.csv"];
    let mut child = start(folder.path(), &all);
    let journal = folder.path().join("o.csv.part");
    wait_until("runs are finished", &mut child, || fs::metadata(&journal).is_ok_and(|about| about.len() > 1000));
    send(&child, "INT");
    let outcome = end(child);
    assert_eq!(outcome.code, 130, "{}", outcome.err);
    assert!(outcome.err.contains("of 5000 runs are finished and in o.csv.part"), "{}", outcome.err);
    assert!(journal.is_file() && !folder.path().join("o.csv").exists());
    assert_eq!(temporary(folder.path()), Vec::<u64>::new());
}

/// Whether a process has begun to hear SIGTERM.
#[cfg(target_os = "linux")]
fn hears_signals(child: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
    u64::from_str_radix(mask.trim(), 16).unwrap_or_default() >> 14 & 1 == 1
}

#[cfg(target_os = "linux")]
#[test]
fn tests_that_were_not_run_are_not_passed() {
    let folder = folder(&[
        ("a.simx", &displayed(STEPS)),
        ("a.expected.csv", "step,y\n3999999999,1\n"),
        ("b.simx", &displayed("4")),
        ("b.expected.csv", "step,y\n3,1.5\n"),
    ]);
    let mut child = start(folder.path(), &["test", ".", "--junit", "junit.xml"]);
    let id = child.id();
    wait_until("signals are heard", &mut child, || hears_signals(id));
    send(&child, "TERM");
    let outcome = end(child);
    assert_eq!(outcome.code, 143, "{}", outcome.err);
    let junit = fs::read_to_string(folder.path().join("junit.xml")).unwrap();
    assert!(junit.contains("tests=\"2\" failures=\"0\" errors=\"2\""), "{junit}");
    assert!(outcome.out.contains("not run to its end: SIGTERM stopped the tests"), "{}", outcome.out);
}
