//! The commands as in a shell.

mod blocks;
mod check;
mod convert;
mod design;
#[cfg(feature = "app")]
mod desktop;
mod device;
mod diff;
mod explain;
mod export;
mod files;
mod fit;
mod fmt;
mod gates;
pub mod git;
pub mod hostile;
mod kills;
mod linearize;
mod marks;
mod merge;
mod outputs;
#[cfg(feature = "app")]
mod picture;
#[cfg(feature = "app")]
mod report;
#[cfg(unix)]
mod review;
mod run;
mod sensitivity;
mod signals;
mod study;
mod sweep;
mod sweep_designs;
mod test;

use std::path::Path;
use std::process::Command;

/// The output and exit code of a command.
#[derive(Debug)]
pub struct Outcome {
    pub out: String,
    pub err: String,
    pub code: i32,
}

/// `simulate` in a folder, for a user without settings and plug-ins: those of whoever runs the tests change nothing.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simulate"));
    command.current_dir(folder).args(args).env_remove("SIMULATE_PLUGIN_DIR");
    command.env("SIMULATE_CONFIG_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-settings"));
    command
}

/// Runs `simulate` in a folder.
#[track_caller]
pub fn simulate(folder: &Path, args: &[&str]) -> Outcome {
    let output = command(folder, args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { out: text(output.stdout), err: text(output.stderr), code: output.status.code().unwrap() }
}

/// Creates a folder with these files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn an_unknown_command_line_says_how_it_is_used() {
    let folder = folder(&[]);
    let outcome = simulate(folder.path(), &["check"]);
    assert_eq!((outcome.code, &*outcome.out), (2, ""));
    assert!(outcome.err.contains("Usage: simulate check"), "{}", outcome.err);
    assert!(simulate(folder.path(), &["--help"]).out.contains("convert"));
    assert!(simulate(folder.path(), &["--version"]).out.starts_with("simulate "));
}

#[cfg(not(feature = "app"))]
#[test]
fn a_file_alone_is_for_the_window() {
    let folder = folder(&[]);
    for file in ["a.simx", "./run"] {
        let outcome = simulate(folder.path(), &[file]);
        let expected = format!("this build has no window; use: simulate run {file}\n");
        assert_eq!((outcome.code, outcome.err), (2, expected));
    }
}
