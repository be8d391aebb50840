//! The manual pages and completions of a package, generated from the program's arguments.
//!
//! `UPDATE_GOLDEN=1` regenerates the files.

use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use clap_complete::Shell;
use simulate::cli::{Args, completions};

fn desktop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/desktop")
}

#[track_caller]
fn check_current(file: &str, expected: &str) {
    let path = desktop().join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{file} is not what the arguments say; write it anew with UPDATE_GOLDEN=1");
}

#[test]
fn completions_are_current() {
    for (shell, file) in [(Shell::Bash, "simulate.bash"), (Shell::Zsh, "_simulate"), (Shell::Fish, "simulate.fish")] {
        check_current(&format!("completions/{file}"), &completions::script(shell));
    }
}

/// A page for the program and one for each command.
#[test]
fn manual_pages_are_current() {
    let folder = tempfile::tempdir().unwrap();
    clap_mangen::generate_to(Args::command().disable_help_subcommand(true), folder.path()).unwrap();
    let pages: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(pages.len() > 4, "{pages:?}");
    for page in pages {
        let name = page.file_name().unwrap().to_str().unwrap();
        check_current(&format!("man/{name}"), &fs::read_to_string(&page).unwrap());
    }
}

/// The version that a software centre shows is the program's.
#[test]
fn the_release_is_in_the_metadata() {
    let metainfo = fs::read_to_string(desktop().join("org.simulate.Simulate.metainfo.xml")).unwrap();
    assert!(metainfo.contains(&format!("<release version=\"{}\"", env!("CARGO_PKG_VERSION"))), "{metainfo}");
}
