//! The page about working together, typed as it stands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{code, manual};

/// A command with what the page shows that it prints, and its exit code.
#[derive(Debug)]
struct Typed {
    line: String,
    out: String,
    code: i32,
}

fn typed(text: &str) -> Vec<Typed> {
    let mut all: Vec<Typed> = Vec::new();
    for line in code(text, "console").iter().flat_map(|block| block.lines()) {
        if let Some(line) = line.strip_prefix("$ ") {
            all.push(Typed { line: line.to_owned(), out: String::new(), code: 0 });
            continue;
        }
        let last = all.last_mut().expect("a command before its output");
        match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).and_then(|code| code.parse().ok()) {
            Some(code) => last.code = code,
            None => last.out.push_str(&format!("{line}\n")),
        }
    }
    all
}

/// Runs a command in a shell; returns what it printed, its exit code, and the folder in which it ended.
fn type_in(folder: &Path, home: &Path, line: &str) -> (String, i32, PathBuf) {
    let program = Path::new(env!("CARGO_BIN_EXE_simulate"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = program.parent().map(Path::to_path_buf).into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("a path");
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let pwd = home.join("pwd");
    let script = format!("{line}\ncode=$?\npwd > '{}'\nexit $code", pwd.display());
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec 2>&1\n{script}")]).current_dir(folder).env("PATH", path).env("HOME", home);
    command
        .env("ASSETS", assets)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("XDG_CONFIG_HOME")
        .env("LC_ALL", "C.UTF-8");
    command
        .env("SIMULATE_CONFIG_DIR", home.join("settings"))
        .env_remove("SIMULATE_PLUGIN_DIR")
        .env("GIT_EDITOR", "true");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Test").env(format!("GIT_{role}_EMAIL"), "test@example.org");
    }
    let output = command.output().expect("a shell");
    let ended = fs::read_to_string(&pwd).expect("the folder");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1), ended.trim_end().into())
}

#[cfg(unix)]
#[test]
fn the_page_about_working_together_is_followed_to_the_letter() {
    let text = fs::read_to_string(manual().join("working-together.md")).expect("the page");
    let folder = tempfile::tempdir().expect("a folder");
    let home = tempfile::tempdir().expect("a home");
    fs::copy(manual().join("tank.simx"), folder.path().join("tank.simx")).expect("the tank");
    let mut here = folder.path().to_path_buf();
    let all = typed(&text);
    assert!(all.len() > 25, "{} commands", all.len());
    for Typed { line, out, code } in all {
        let (found, found_code, ended) = type_in(&here, home.path(), &line);
        // The lines of git and of its drivers come in no certain order.
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!((sorted(&found), found_code), (sorted(&out), code), "{line}");
        here = ended;
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    assert!(read("ada/tank.simx").contains("<value>0.6</value>") && !read("ada/tank.simx").contains("conflicts"));
}
