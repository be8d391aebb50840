//! What commands write: never onto what they read, and never onto a file of another kind.

use std::any::TypeId;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use simulate::cli::Args;

use super::{Outcome, folder, simulate};

const MODEL: &str = r#"<simulation steps="4" delta="0.5" root="M"><model name="M">
    <block id="0" group="Var" name="Static"><option name="Value"><value>8</value></option></block>
    <block id="1" group="Math" name="Integrate"/>
    <exit id="2" name="y"/>
    <connection from="0" output="Output" to="1" input="Input"/>
    <connection from="1" output="Output" to="2" input="Input"/></model></simulation>"#;

/// Options that name what is read, and folders in which blocks may read and write.
const READ: &[&str] = &[
    "file",
    "files",
    "folder",
    "input",
    "data",
    "parameter_for",
    "set_for",
    "resume",
    "beside",
    "plugin",
    "allow_read",
    "allow_write",
    "allow_fmu",
    "library",
    "values",
    "creds",
    "nkey",
    "tls_ca",
    "tls_cert",
    "tls_key",
];

/// The options that name an output: command, option, a command line with OUT for the path, and the extension of OUT.
const WRITTEN: &[(&str, &str, &str, &str)] = &[
    ("run", "out", "run m.simx -q --out OUT", ".csv"),
    ("run", "checkpoint", "run m.simx -q --checkpoint OUT", ""),
    ("sweep", "out", "sweep m.simx --vary #0.Value=1,2 -q --out OUT", ".csv"),
    ("sweep", "failures", "sweep m.simx --vary #0.Value=1,2 -q --failures OUT", ""),
    ("sweep", "indices", "sweep m.simx --vary #0.Value=uniform(1,2) --morris 2 -q --indices OUT", ".csv"),
    ("linearize", "bode", "linearize m.simx --input #0 --bode OUT", ""),
    ("linearize", "nichols", "linearize m.simx --input #0 --nichols OUT", ""),
    ("linearize", "root_locus", "linearize m.simx --input #0 --root-locus OUT", ""),
    ("test", "junit", "test m.simx --junit OUT", ""),
    ("convert", "output", "convert m.simx OUT", ".simx"),
    ("merge", "out", "merge m.simx m.simx m.simx --out OUT", ".simx"),
    ("export", "out", "export m.simx --to fmu --sources-only -q --out OUT", ".fmu"),
    #[cfg(feature = "app")]
    ("picture", "out", "picture m.simx --out OUT", ".svg"),
    #[cfg(feature = "app")]
    ("diff", "html", "diff m.simx m.simx --html OUT", ".html"),
    #[cfg(feature = "app")]
    ("report", "out", "report m.simx --no-run --out OUT", ".html"),
];

/// Options that name an output which is written only where the exit code is 1; `study.rs` tests them.
const WRITTEN_WITH_FAILURE: &[(&str, &str)] = &[("falsify", "out")];

/// Returns all options of a command and those below it that name a file or a folder, with the command's name.
fn paths_of(command: &clap::Command, found: &mut Vec<(String, String)>) {
    for option in command.get_arguments().filter(|option| option.get_action().takes_values()) {
        let is_path = option.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let named = option.get_value_names().unwrap_or_default();
        let is_named = named.iter().any(|name| name.contains("FILE") || name.contains("DIR"));
        let help = option.get_help().map(ToString::to_string).unwrap_or_default();
        if is_path || is_named || help.starts_with("Writes") {
            found.push((command.get_name().to_owned(), option.get_id().to_string()));
        }
    }
    command.get_subcommands().for_each(|below| paths_of(below, found));
}

#[test]
fn every_option_that_names_an_output_is_known() {
    let mut found = Vec::new();
    paths_of(&Args::command(), &mut found);
    let all = || WRITTEN.iter().map(|case| (case.0, case.1)).chain(WRITTEN_WITH_FAILURE.iter().copied());
    let is_written = |command: &str, option: &str| all().any(|case| case == (command, option));
    for (command, option) in &found {
        let is_read = READ.contains(&&**option);
        assert!(
            is_read != is_written(command, option),
            "--{option} of {command} names a file: add it to READ or, if it is written, to WRITTEN"
        );
    }
    for (command, option) in all() {
        assert!(found.contains(&((*command).to_owned(), (*option).to_owned())), "{command} has no --{option}");
    }
}

fn run(folder: &Path, line: &str, out: &str, more: &[&str]) -> Outcome {
    let args: Vec<&str> = line.split(' ').map(|part| if part == "OUT" { out } else { part }).collect();
    simulate(folder, &[&args[..], more].concat())
}

/// A folder with the simulation under several names.
fn linked(extension: &str) -> (tempfile::TempDir, Vec<String>) {
    let folder = folder(&[("m.simx", MODEL), ("m.expected.csv", "step,y\n0,0\n3,12\n"), ("sub/x", "")]);
    let path = |name: &str| folder.path().join(name);
    let mut names = vec!["m.simx".to_owned(), "sub/../m.simx".to_owned(), format!("hard{extension}")];
    fs::hard_link(path("m.simx"), path(&names[2])).unwrap();
    #[cfg(unix)]
    {
        names.push(format!("soft{extension}"));
        std::os::unix::fs::symlink("m.simx", path(&names[3])).unwrap();
    }
    (folder, names)
}

#[test]
fn no_output_replaces_the_simulation() {
    for (_, _, line, extension) in WRITTEN {
        let (folder, names) = linked(extension);
        for name in &names {
            for more in [&[][..], &["--force"]] {
                let outcome = run(folder.path(), line, name, more);
                assert_ne!(outcome.code, 0, "{line} with {name} {more:?}");
                // Other extensions than those of the option are refused before.
                let is_said = !name.ends_with(extension) || outcome.err.contains("this file is read here");
                assert!(is_said, "{line} with {name} {more:?}: {}", outcome.err);
                assert_eq!(fs::read_to_string(folder.path().join("m.simx")).unwrap(), MODEL, "{line} with {name}");
                assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), MODEL, "{line} with {name}");
            }
        }
    }
}

#[test]
fn no_output_replaces_a_file_of_another_kind() {
    for (command, _, line, extension) in WRITTEN {
        let folder = folder(&[("m.simx", MODEL), ("m.expected.csv", "step,y\n0,0\n3,12\n")]);
        let name = format!("other{extension}");
        let path = folder.path().join(&name);
        let is_model = ["convert", "merge"].contains(command);
        let other = if is_model { "step,time,y\n0,0,1\n" } else { MODEL };
        fs::write(&path, other).unwrap();
        let outcome = run(folder.path(), line, &name, &[]);
        // For diff 1 is a difference, for merge a conflict.
        let code = if ["diff", "merge"].contains(command) { 2 } else { 1 };
        assert_eq!(outcome.code, code, "{line}: {}", outcome.err);
        let found = if is_model { "is a table (.csv)" } else { "is a simulation" };
        assert!(outcome.err.contains(&format!("{name} {found}")), "{line}: {}", outcome.err);
        assert!(outcome.err.contains("--force to replace it"), "{line}: {}", outcome.err);
        assert_eq!(fs::read_to_string(&path).unwrap(), other, "{line}");
        // Who insists on it gets it, and after that it is an older result.
        for more in [&["--force"][..], &[]] {
            let outcome = run(folder.path(), line, &name, more);
            assert_eq!(outcome.code, 0, "{line} {more:?}: {}", outcome.err);
            assert_ne!(fs::read(&path).unwrap(), other.as_bytes(), "{line} {more:?}");
        }
    }
}

/// The tables that blocks read are inputs, too, and what blocks write are outputs.
#[test]
fn files_of_blocks_are_not_replaced() {
    let model = |read: &str, written: &str| {
        format!(
            r#"<simulation steps="4" delta="0.5" root="M"><model name="M">
            <block id="0" group="Var" name="From File"><option name="File"><value>{read}</value></option></block>
            <block id="1" group="Sink" name="To File"><option name="File"><value>{written}</value></option></block>
            <exit id="2" name="y"/>
            <connection from="0" output="Output" to="1" input="Input 1"/>
            <connection from="0" output="Output" to="2" input="Input"/></model></simulation>"#
        )
    };
    let table = "time,y\n0,1\n1,2\n";
    for (read, written, args, says) in [
        ("data.csv", "copy.csv", &["--out", "data.csv"][..], "data.csv: this file is read here"),
        ("data.csv", "copy.csv", &["--out", "copy.csv"], "copy.csv would be written twice"),
        ("data.csv", "copy.csv", &["--out", "a.csv", "--checkpoint", "./a.csv"], "a.csv would be written twice"),
        ("data.csv", "data.csv", &[], "data.csv: this file is read here"),
    ] {
        let folder = folder(&[("m.simx", &model(read, written)), ("data.csv", table)]);
        let outcome = simulate(folder.path(), &[&["run", "m.simx", "-q", "--force"], args].concat());
        assert_eq!(outcome.code, 1, "{args:?}: {}", outcome.err);
        assert!(outcome.err.contains(says), "{args:?}: {}", outcome.err);
        assert_eq!(fs::read_to_string(folder.path().join("data.csv")).unwrap(), table, "{args:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "{args:?}: nothing is written");
    }
}

/// A link with the extension of tables may lead to a file of another kind.
#[cfg(unix)]
#[test]
fn a_block_does_not_replace_a_simulation_through_a_link() {
    let model = MODEL.replace("<exit", r#"<block id="5" group="Sink" name="To File"><option name="File"><value>link.csv</value></option></block><exit"#)
        .replace("</model>", r#"<connection from="1" output="Output" to="5" input="Input 1"/></model>"#);
    let folder = folder(&[("m.simx", &model), ("other.simx", MODEL)]);
    std::os::unix::fs::symlink("other.simx", folder.path().join("link.csv")).unwrap();
    let outcome = simulate(folder.path(), &["run", "m.simx", "-q"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.err.contains("the file is a simulation, and a table would replace it"), "{}", outcome.err);
    assert_eq!(fs::read_to_string(folder.path().join("other.simx")).unwrap(), MODEL);
}

#[test]
fn a_resumed_run_does_not_replace_what_it_resumes() {
    let folder = folder(&[("m.simx", MODEL)]);
    assert_eq!(simulate(folder.path(), &["run", "m.simx", "-q", "--steps", "2", "--checkpoint", "half"]).code, 0);
    let half = fs::read(folder.path().join("half")).unwrap();
    let outcome = simulate(folder.path(), &["run", "m.simx", "-q", "--resume", "half", "--checkpoint", "half"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("half: this file is read here"), "{}", outcome.err);
    assert_eq!(fs::read(folder.path().join("half")).unwrap(), half);
    assert_eq!(simulate(folder.path(), &["run", "m.simx", "-q", "--resume", "half", "--checkpoint", "end"]).code, 0);
}
