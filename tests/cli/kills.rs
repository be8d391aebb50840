//! Programs that are killed while they write a file, the short form of `tests/kills`; and disks that are full.

use std::path::Path;
use std::time::Duration;

use super::{folder, simulate};

#[path = "../kills/src/kill.rs"]
mod kill;

use kill::{Case, Found, Moment};

const PROGRAM: &str = env!("CARGO_BIN_EXE_simulate");

fn sine(steps: u64) -> String {
    format!(
        "<simulation steps=\"{steps}\" delta=\"0.001\" root=\"M\"><model name=\"M\">\
         <block id=\"0\" group=\"Var\" name=\"Sine\"/><exit id=\"1\" name=\"y\"/>\
         <connection from=\"0\" output=\"Output\" to=\"1\" input=\"Input\"/></model></simulation>"
    )
}

/// The run has no end, so each kill falls into the writing.
#[test]
fn a_run_that_is_killed_leaves_the_old_table() {
    let folder = folder(&[("a.simx", &sine(1_000_000_000))]);
    let args = ["run", "a.simx", "-q", "--out", "o.csv"];
    let old = Some(b"old,content\n".to_vec());
    let mut case =
        Case { program: Path::new(PROGRAM), folder: folder.path(), args: &args, target: "o.csv", old, new: None };
    for number in 0..10 {
        let moment = Moment::AfterCreation(Duration::from_millis(number));
        assert_eq!(case.kill(moment).unwrap_or_else(|problem| panic!("{problem}")), Found::Writing, "{moment:?}");
        assert_eq!(kill::temporaries(folder.path()).len(), 1, "the file of the kill before is removed");
    }
    case.old = None;
    assert_eq!(case.kill(Moment::AfterCreation(Duration::ZERO)).unwrap(), Found::Writing);
    assert!(!folder.path().join("o.csv").exists(), "where there was nothing, there is nothing");
}

#[test]
fn a_save_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let blocks: String = (0..4000).map(|id| format!("<block id=\"{id}\" group=\"Math\" name=\"Gain\"/>")).collect();
    let text = format!("<simulation steps=\"1\" root=\"M\"><model name=\"M\">{blocks}</model></simulation>");
    let folder = folder(&[("a.simx", &text)]);
    let args = ["convert", "a.simx", "b.simx"];
    let program = Path::new(PROGRAM);
    let mut case = Case { program, folder: folder.path(), args: &args, target: "b.simx", old: None, new: None };
    let new = case.complete().unwrap();
    (case.old, case.new) = (Some(new[..new.len() / 2].to_vec()), Some(new.clone()));
    for number in 0..10 {
        // From the creation of the file to some time after its renaming, and once before all that.
        let found = case.kill(match number {
            0 => Moment::AfterStart(Duration::from_millis(1)),
            _ => Moment::AfterCreation(Duration::from_micros(500 * number)),
        });
        found.unwrap_or_else(|problem| panic!("{problem}"));
    }
    assert_eq!(case.complete().unwrap(), new, "the next save is complete and leaves nothing else");
}

/// Runs the program where files have at most 2 KB, as on a disk that fills up meanwhile. Without the trap the system
/// would end it.
#[cfg(unix)]
fn with_little_room(folder: &Path, args: &str) -> (String, Option<i32>) {
    let line = format!("trap '' XFSZ; ulimit -f 4; exec '{PROGRAM}' {args}");
    let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(folder).output().unwrap();
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_is_said_and_leaves_the_old_file() {
    let blocks: String = (0..200).map(|id| format!("<block id=\"{id}\" group=\"Math\" name=\"Gain\"/>")).collect();
    let big = format!("<simulation steps=\"1\" root=\"M\"><model name=\"M\">{blocks}</model></simulation>");
    let delay = sine(5).replace("<exit", "<block id=\"2\" group=\"Discrete\" name=\"Delay\"><option name=\"Length\"><value>9000</value></option></block><exit");
    let folder = folder(&[("big.simx", &big), ("run.simx", &sine(5000)), ("delay.simx", &delay)]);
    for (args, target) in [
        ("convert big.simx o.simx", "o.simx"),
        ("convert big.simx o.json", "o.json"),
        ("run run.simx -q --out o.csv", "o.csv"),
        ("run run.simx -q --out o.parquet", "o.parquet"),
        ("run delay.simx -q --checkpoint o.half", "o.half"),
    ] {
        // A checkpoint replaces only another one; any other of these is known by its extension.
        if target == "o.half" {
            let old = ["run", "run.simx", "-q", "--steps", "1", "--checkpoint", "o.half"];
            assert_eq!(simulate(folder.path(), &old).code, 0);
        } else {
            std::fs::write(folder.path().join(target), "old").unwrap();
        }
        let old = std::fs::read(folder.path().join(target)).unwrap();
        let (says, code) = with_little_room(folder.path(), args);
        assert_eq!(code, Some(1), "{args}: {says}");
        assert!(says.contains("the file would be larger than the system allows"), "{args}: {says}");
        assert!(!says.contains("os error") && !says.contains(".tmp"), "{args}: {says}");
        assert!(std::fs::read(folder.path().join(target)).unwrap() == old, "{args}");
        assert_eq!(kill::temporaries(folder.path()), Vec::<std::path::PathBuf>::new(), "{args}");
    }
}

/// The rows before the disk was full are in a file beside the target, for the table of the command and for that of a block.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_costs_no_complete_row() {
    let block = sine(5000).replace(
        "<exit",
        "<block id=\"2\" group=\"Sink\" name=\"To File\"><option name=\"File\"><value>o.csv</value></option></block>\
         <connection from=\"0\" output=\"Output\" to=\"2\" input=\"Input 1\"/><exit",
    );
    let folder = folder(&[("run.simx", &sine(5000)), ("block.simx", &block), ("o.csv", "old")]);
    let whole = ["run", "run.simx", "-q", "--out", "whole.csv"];
    assert_eq!(simulate(folder.path(), &whole).code, 0);
    let whole = std::fs::read_to_string(folder.path().join("whole.csv")).unwrap();
    for (args, kept) in [
        ("run run.simx -q --out o.csv", "o.incomplete.csv"),
        ("run run.simx -q --out o.csv", "o.incomplete-2.csv"),
        ("run block.simx -q", "o.incomplete-3.csv"),
    ] {
        let (says, code) = with_little_room(folder.path(), args);
        assert_eq!(code, Some(1), "{says}");
        let rows = std::fs::read_to_string(folder.path().join(kept)).unwrap();
        let count = rows.lines().count() - 1;
        assert!(says.contains(&format!("the {count} rows up to there are beside it in {kept}")), "{says}");
        let expected: Vec<&str> = whole.lines().skip(1).take(count).collect();
        assert!(rows.ends_with('\n') && count > 40, "{rows}");
        assert_eq!(rows.lines().skip(1).collect::<Vec<_>>(), expected);
        assert_eq!(std::fs::read_to_string(folder.path().join("o.csv")).unwrap(), "old");
    }
    assert_eq!(kill::temporaries(folder.path()), Vec::<std::path::PathBuf>::new());
}

/// The full device refuses what is written to it, but is no regular file: it is written to, not replaced.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_in_plain_words() {
    let folder = folder(&[("a.simx", &sine(5))]);
    std::os::unix::fs::symlink("/dev/full", folder.path().join("full.json")).unwrap();
    let outcome = simulate(folder.path(), &["convert", "a.simx", "full.json"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.err.contains("the disk is full; free some space and try again"), "{}", outcome.err);
    assert!(std::fs::symlink_metadata(folder.path().join("full.json")).unwrap().is_symlink());
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let folder = folder(&[("a.simx", &sine(5))]);
    for args in [&["convert", "a.simx", "no/b.simx"][..], &["run", "a.simx", "--out", "no/b.csv"]] {
        let outcome = simulate(folder.path(), args);
        assert_eq!(outcome.code, 1, "{}", outcome.err);
        assert!(outcome.err.contains("the folder does not exist"), "{}", outcome.err);
        assert!(!outcome.err.contains(".tmp"), "{}", outcome.err);
    }
}
