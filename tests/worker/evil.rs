//! An FMU that misbehaves, in eleven ways, in the step after 0.5 s.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::Trial;
use crate::cli::command;

fn evil(version: u8, mode: u8) -> Trial {
    let parts = "<block id=\"2\" group=\"Var\" name=\"Static\"/>\
                 <connection from=\"2\" output=\"Output\" to=\"3\" input=\"u\"/>";
    Trial::new(&format!("Evil.fmi{version}.fmu"), &["y"])
        .with("Inputs", "u")
        .with("Parameters", &format!("mode = {mode}"))
        .with("Time Limit", "1")
        .with("Memory Limit", "600")
        .with_parts(parts)
        .with_head("steps=\"12\" delta=\"0.1\"")
}

/// What each mode ends in: the text of the error, or none where it does no harm.
const MODES: [(u8, Option<&str>); 12] = [
    (0, None),
    (1, Some("did not answer within 1 s")),
    (2, Some("segmentation fault")),
    (3, Some("exited by itself, with the code 3")),
    (4, Some("returned Error")),
    (5, Some("returned Discard: it did not compute the step of 0.1 s from 0.4 s to its end")),
    // Not-a-number.
    (6, None),
    // It prints, but nobody reads that.
    (7, None),
    (8, Some("the FMU failed")),
    // It closes streams that are not those of the protocol.
    (9, None),
    // It needs 0.2 s a step.
    (10, None),
    // It changes the folder, of its process.
    (11, None),
];

#[test]
fn each_misdeed_ends_with_the_block_named() {
    for version in [2, 3] {
        for (mode, problem) in MODES {
            let trial = evil(version, mode);
            let start = Instant::now();
            let outcome = trial.run("compiled");
            // Six slow steps, or a call until its time limit, and time for a busy machine.
            assert!(start.elapsed() < Duration::from_secs(20), "mode {mode} takes {:?}", start.elapsed());
            match problem {
                None => assert_eq!(outcome.code, 0, "FMI {version}, mode {mode}: {}", outcome.err),
                Some(problem) => {
                    assert_eq!(outcome.code, 1, "FMI {version}, mode {mode}: {}", outcome.err);
                    assert!(outcome.err.contains(problem), "FMI {version}, mode {mode}: {}", outcome.err);
                    assert!(outcome.err.contains("block: #3"), "FMI {version}, mode {mode}: {}", outcome.err);
                }
            }
            assert!(!outcome.out.contains("evil"), "what it prints is not ours: {}", outcome.out);
        }
    }
}

/// Returns the workers that a process has started.
fn workers_of(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("processes");
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |number: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let parent_of = status.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        parent_of == Some(parent)
    };
    numbers.filter(is_child).collect()
}

/// Waits for something, at most 20 s.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "it does not happen");
        std::thread::yield_now();
    }
}

fn start(trial: &Trial) -> std::process::Child {
    trial.write();
    let mut command = command(trial.folder.path(), &["run", "model.simx", "--allow-fmu", "model.fmu"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

#[test]
fn a_worker_that_is_killed_ends_the_run_with_the_block_named() {
    let trial = evil(2, 1).with("Time Limit", "600");
    let child = start(&trial);
    let worker = until(|| workers_of(child.id()).first().copied());
    // SAFETY: it is the process that the command above has started.
    assert_eq!(unsafe { libc::kill(worker as libc::pid_t, libc::SIGKILL) }, 0);
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("block: #3"), "{err}");
    // The next run has a worker of its own.
    assert_eq!(evil(2, 0).run("compiled").code, 0);
}

/// A worker that hangs in the code of an FMU ends with the program that has started it.
#[test]
fn no_worker_is_left_when_the_program_is_killed() {
    let trial = evil(2, 1).with("Time Limit", "600");
    let mut child = start(&trial);
    let worker = until(|| workers_of(child.id()).first().copied());
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    until(|| {
        let state = std::fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
        let state = state.rsplit(')').next().map(|rest| rest.trim_start().to_owned()).unwrap_or_default();
        // Gone, or dead and not waited for by the first process.
        (state.is_empty() || state.starts_with('Z')).then_some(())
    });
}
