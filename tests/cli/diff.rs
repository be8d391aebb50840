//! `simulate diff`.

use std::path::Path;
use std::process::Command;

use super::{folder, simulate};

fn text(gain: &str, x: &str) -> String {
    format!(
        "<simulation steps=\"10\" delta=\"1\" root=\"M\"><model name=\"M\"><block id=\"1\" group=\"Math\" name=\"Gain\" \
         view:x=\"{x}\" view:y=\"0\"><option name=\"Gain\"><value>{gain}</value></option></block></model></simulation>"
    )
}

#[test]
fn the_exit_code_is_that_of_diff() {
    let files = [("a.simx", text("1", "0")), ("b.simx", text("2", "0")), ("c.simx", text("1", "50"))];
    let folder = folder(&files.each_ref().map(|(name, text)| (*name, &**text)));
    let outcome = simulate(folder.path(), &["diff", "a.simx", "a.simx"]);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (0, "", ""));
    let outcome = simulate(folder.path(), &["diff", "a.simx", "b.simx"]);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (1, "~ M/Gain.Gain: 1 → 2\n", ""));
    // A layout is no difference, unless it is asked for.
    let outcome = simulate(folder.path(), &["diff", "a.simx", "c.simx"]);
    assert_eq!((outcome.code, &*outcome.out), (0, "  layout: 1 block\n"));
    let outcome = simulate(folder.path(), &["diff", "--layout", "a.simx", "c.simx"]);
    assert_eq!((outcome.code, &*outcome.out), (1, "~ M/Gain.x: 0 → 50\n"));
    let outcome = simulate(folder.path(), &["diff", "a.simx", "missing.simx"]);
    assert_eq!((outcome.code, &*outcome.out), (2, ""));
    assert!(outcome.err.starts_with("error: missing.simx: "), "{}", outcome.err);
    let outcome = simulate(folder.path(), &["diff", "a.simx", "b.simx", "c.simx"]);
    assert_eq!((outcome.code, &*outcome.err), (2, "error: diff compares two files, but 3 are given\n"));
}

#[test]
fn as_data() {
    let files = [("a.simx", text("1", "0")), ("b.simx", text("2", "9"))];
    let folder = folder(&files.each_ref().map(|(name, text)| (*name, &**text)));
    let outcome = simulate(folder.path(), &["diff", "a.simx", "b.simx", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    let wanted = serde_json::json!({
        "changes": [{
            "kind": "changed", "subject": "block", "path": "M/Gain",
            "first_place": {"model": "M", "block": 1}, "second_place": {"model": "M", "block": 1}, "property": "Gain", "first": "1", "second": "2"
        }],
        "layout": 1
    });
    assert_eq!((outcome.code, found), (1, wanted));
}

fn git(folder: &Path, args: &[&str]) -> String {
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"];
    let output = Command::new("git").current_dir(folder).args(identity).args(args).output().expect("git");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn states_of_a_file_in_git_and_a_driver_for_it() {
    let folder = folder(&[("models/a.simx", &text("1", "0")), (".gitattributes", "*.simx diff=simx\n")]);
    let path = folder.path();
    git(path, &["init", "-q"]);
    git(path, &["add", "."]);
    git(path, &["commit", "-q", "-m", "One"]);
    std::fs::write(path.join("models/a.simx"), text("2", "0")).expect("a change");
    git(path, &["commit", "-q", "-a", "-m", "Two"]);
    std::fs::write(path.join("models/a.simx"), text("3", "0")).expect("a change");
    let line = |args: &[&str]| simulate(&path.join("models"), args).out;
    assert_eq!(line(&["diff", "HEAD~1:a.simx", "HEAD:a.simx"]), "~ M/Gain.Gain: 1 → 2\n");
    assert_eq!(line(&["diff", "HEAD~1:a.simx", "a.simx"]), "~ M/Gain.Gain: 1 → 3\n");
    let outcome = simulate(path, &["diff", "HEAD:b.simx", "models/a.simx"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.starts_with("error: git has no HEAD:b.simx: "), "{}", outcome.err);
    // The driver gets the files of git, an absent one as a null device.
    let driver = format!("diff.simx.command={} diff --git-driver", env!("CARGO_BIN_EXE_simulate"));
    assert_eq!(git(path, &["-c", &driver, "diff"]), "models/a.simx\n~ M/Gain.Gain: 2 → 3\n");
    git(path, &["mv", "-f", "models/a.simx", "models/c.simx"]);
    let found = git(path, &["-c", &driver, "diff", "HEAD", "--no-renames"]);
    assert!(found.contains("models/a.simx\n") && found.contains("- model M: 1 block\n"), "{found}");
    assert!(found.contains("models/c.simx\n") && found.contains("+ model M: 1 block\n"), "{found}");
}
