//! The hook and the workflow of `assets/deploy/git`, in repositories.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(feature = "app")]
use std::process::Command;

use super::git::{edit, git, repository, try_git};

const FILE: &str = include_str!("../../assets/manual/tank.simx");

fn deployed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/deploy/git")
}

#[test]
fn the_hook_refuses_what_is_not_canonical_or_has_errors() {
    let folder = repository(&[("models/tank.simx", FILE)]);
    let path = folder.path();
    let hook = path.join(".git/hooks/pre-commit");
    let text = fs::read_to_string(deployed().join("pre-commit")).expect("the hook");
    let own = format!("simulate='{}'", env!("CARGO_BIN_EXE_simulate"));
    fs::write(&hook, text.replace("simulate=${SIMULATE:-simulate}", &own)).expect("the hook");
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("the hook");
    edit(path, "models/tank.simx", "A good change", &[("0.5", "0.75")]);
    let refused = |from: &str, to: &str, wanted: &str| {
        fs::write(path.join("models/tank.simx"), FILE.replace(from, to)).expect("a change");
        git(path, &["add", "."]);
        // The commit takes the staged file, not that in the folder.
        fs::write(path.join("models/tank.simx"), FILE).expect("a change");
        let outcome = try_git(path, &["commit", "-q", "-m", "A slip"]);
        assert!(!outcome.is_success && outcome.text.contains(wanted), "{}", outcome.text);
    };
    refused("\t\t<block", "    <block", "models/tank.simx: not in canonical form");
    refused("to=\"1\" input=\"Input 1\"", "to=\"9\" input=\"Input 1\"", "dangling-connection");
    let conflict = "label=\"Outlet\" conflicts=\"option:Gain[base=1,ours=2,theirs=3]\"";
    refused("label=\"Outlet\"", conflict, "merge-conflict");
    git(path, &["checkout", "-q", "HEAD", "--", "."]);
    git(path, &["rm", "-q", "models/tank.simx"]);
    git(path, &["commit", "-q", "-m", "Deleted"]);
}

/// The commands of a workflow's steps.
#[cfg(feature = "app")]
fn steps(workflow: &str) -> Vec<String> {
    let mut steps = Vec::new();
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() != "run: |" {
            continue;
        }
        let depth = line.len() - line.trim_start().len();
        let mut step = String::new();
        while let Some(line) = lines.next_if(|line| line.len() - line.trim_start().len() > depth) {
            step.push_str(&format!("{}\n", line.trim()));
        }
        steps.push(step);
    }
    steps
}

#[cfg(feature = "app")]
#[test]
fn the_steps_of_the_workflow_review_a_branch() {
    let folder = repository(&[("models/tank.simx", FILE), ("gone.simx", FILE)]);
    let path = folder.path();
    fs::create_dir(path.join(".github")).expect("a folder");
    fs::copy(deployed().join("review.sh"), path.join(".github/review.sh")).expect("the script");
    let base = git(path, &["rev-parse", "HEAD"]).trim().to_owned();
    git(path, &["checkout", "-q", "-b", "branch"]);
    git(path, &["rm", "-q", "gone.simx"]);
    fs::write(path.join("new.simx"), FILE).expect("a new file");
    git(path, &["add", "new.simx"]);
    edit(path, "models/tank.simx", "A wide outlet", &[("0.5", "0.75")]);
    let head = git(path, &["rev-parse", "HEAD"]).trim().to_owned();

    // In the place of the program that comments.
    let tools = tempfile::tempdir().expect("a folder");
    let gh = tools.path().join("gh");
    fs::write(&gh, "#!/bin/sh\necho \"$@\" >> \"$COMMENTS\"\ncase \"$*\" in *--edit-last*) exit 1;; esac\n")
        .expect("a script");
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).expect("a script");
    let (comments, outputs) = (tools.path().join("comments"), tools.path().join("outputs"));
    let shell = |step: &str, code: &str| {
        let search = format!("{}:{}", tools.path().display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("bash");
        command.args(["-e", "-c", step]).current_dir(path).env("PATH", search).env("CODE", code);
        command.env("BASE", &base).env("HEAD", &head).env("NUMBER", "7").env("COMMENTS", &comments);
        command.env("GITHUB_OUTPUT", &outputs).env("SIMULATE", env!("CARGO_BIN_EXE_simulate"));
        command.env("SIMULATE_CONFIG_DIR", tools.path().join("settings"));
        let output = command.output().expect("a shell");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let workflow = fs::read_to_string(deployed().join("review.yaml")).expect("the workflow");
    let steps = steps(&workflow);
    assert_eq!(steps.len(), 3);
    for step in &steps {
        let code = fs::read_to_string(&outputs).unwrap_or_default().trim().replace("code=", "");
        let (is_success, text) = shell(step, &code);
        assert!(is_success, "{step}: {text}");
    }
    let comments = fs::read_to_string(&comments).expect("a comment");
    assert_eq!(comments.lines().last(), Some("pr comment 7 --body-file review/review.md"));
    let read = |name: &str| fs::read_to_string(path.join("review").join(name)).expect("a file");
    let review = read("review.md");
    assert!(review.contains("### models/tank.simx\n\n```diff\n~ Tank/Outlet.Gain: 0.5 → 0.75\n```"), "{review}");
    assert!(review.contains("### gone.simx\n\nIt was deleted."), "{review}");
    assert!(review.contains("### new.simx\n\n```diff\n") && review.contains("+ model Tank: 6 blocks"), "{review}");
    assert!(read("models_tank.html").starts_with("<!") && read("models_tank.svg").contains("<svg"));

    // A branch with an error, whose result is a failure and still has a comment.
    edit(path, "models/tank.simx", "A slip", &[("root=\"Tank\"", "root=\"Tonk\"")]);
    fs::remove_file(&outputs).expect("the outputs");
    assert!(shell(&steps[0], "").0);
    assert_eq!(fs::read_to_string(&outputs).expect("the outputs"), "code=1\n");
    assert!(read("review.md").contains("unknown-root"), "{}", read("review.md"));
    assert!(!shell(&steps[2], "1").0);
}
