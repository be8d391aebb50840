//! Repositories with simulations, whose git runs this program.

use std::path::Path;
use std::process::Command;

use super::{folder, simulate};

/// The outcome of git: whether it succeeded, and what it printed.
pub struct GitOutcome {
    pub is_success: bool,
    pub text: String,
}

/// Runs git as a user without a configuration.
pub fn try_git(folder: &Path, args: &[&str]) -> GitOutcome {
    let mut command = Command::new("git");
    command.current_dir(folder).args(args).env_remove("SIMULATE_PLUGIN_DIR");
    command.env("SIMULATE_CONFIG_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-settings"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_EDITOR", "true");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Test").env(format!("GIT_{role}_EMAIL"), "test@example.org");
    }
    let output = command.output().expect("git");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    GitOutcome { is_success: output.status.success(), text }
}

#[track_caller]
pub fn git(folder: &Path, args: &[&str]) -> String {
    let outcome = try_git(folder, args);
    assert!(outcome.is_success, "{args:?}: {}", outcome.text);
    outcome.text
}

/// A repository with files in a first commit, set up for this program.
pub fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = folder(files);
    let path = folder.path();
    git(path, &["init", "-q", "-b", "main"]);
    let outcome = simulate(path, &["git-setup"]);
    assert_eq!((outcome.code, &*outcome.err), (0, ""), "{}", outcome.out);
    git(path, &["add", "."]);
    git(path, &["commit", "-q", "-m", "Begin"]);
    folder
}

/// Replaces texts in a file, and commits it.
#[track_caller]
pub fn edit(folder: &Path, file: &str, message: &str, replacements: &[(&str, &str)]) {
    let path = folder.join(file);
    let mut text = std::fs::read_to_string(&path).expect("a file");
    for (from, to) in replacements {
        assert!(text.contains(from), "{from} in {text}");
        text = text.replace(from, to);
    }
    std::fs::write(&path, text).expect("a change");
    git(folder, &["commit", "-q", "-a", "-m", message]);
}
