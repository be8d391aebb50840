//! `simulate merge` and `simulate git-setup`, alone and as git runs them.

use std::fs;

use super::git::{edit, git, repository, try_git};
use super::{folder, simulate};

const FILE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="10" delta="1" root="Main">
	<variable name="k" value="2"/>
	<model name="Main">
		<block id="1" group="Var" name="Static" label="Source"><option name="Value"><value>5</value></option></block>
		<model id="2" model="Plant"/>
		<exit id="3" name="y"/>
		<connection from="1" output="Output" to="2" input="u"/>
		<connection from="2" output="y" to="3" input="Input"/>
	</model>
	<model name="Plant">
		<entry id="1" name="u"/>
		<block id="2" group="Math" name="Gain" label="First"><option name="Gain"><value>1</value></option></block>
		<block id="3" group="Math" name="Gain" label="Second"><option name="Gain"><value>2</value></option></block>
		<exit id="4" name="y"/>
		<connection from="1" output="Output" to="2" input="Input"/>
		<connection from="2" output="Output" to="3" input="Input"/>
		<connection from="3" output="Output" to="4" input="Input"/>
	</model>
</simulation>
"#;

const FIRST: (&str, &str) = ("<value>1</value>", "<value>10</value>");
const SECOND: (&str, &str) = ("<value>2</value>", "<value>20</value>");

#[test]
fn files_are_merged_and_the_exit_code_says_how() {
    let (ours, theirs) = (FILE.replace(FIRST.0, FIRST.1), FILE.replace(SECOND.0, SECOND.1));
    let other = FILE.replace(FIRST.0, "<value>11</value>");
    let files = [("base.simx", FILE), ("a.simx", &ours), ("b.simx", &theirs), ("c.simx", &other), ("bad.simx", "<a")];
    let folder = folder(&files);
    let path = folder.path();
    let outcome = simulate(path, &["merge", "base.simx", "a.simx", "b.simx", "-o", "out.simx"]);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (0, "merged without conflicts\n", ""));
    let merged = fs::read_to_string(path.join("out.simx")).expect("the result");
    assert_eq!(merged, ours.replace(SECOND.0, SECOND.1));

    let outcome = simulate(path, &["merge", "base.simx", "a.simx", "c.simx", "-o", "out.simx"]);
    let line = "! Plant/First, Gain: 1 in base, 10 in ours, 11 in theirs\n1 conflict\n";
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (1, line, ""));
    // The file opens, but does not run.
    let outcome = simulate(path, &["check", "out.simx"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.out.contains("merge-conflict"), "{}", outcome.out);
    assert!(outcome.out.contains("Gain of Plant/First was 1, is 10 in ours and 11 in theirs"), "{}", outcome.out);
    assert_eq!(simulate(path, &["run", "out.simx"]).code, 1);
    assert_eq!(simulate(path, &["fmt", "--check", "out.simx"]).code, 0);
    let outcome = simulate(path, &["merge", "base.simx", "a.simx", "c.simx", "-o", "out.simx", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    let wanted = serde_json::json!({"conflicts": [{
        "path": "Plant/First", "property": "Gain", "model": "Plant", "block": 2,
        "base": ["1"], "ours": ["10"], "theirs": ["11"]
    }]});
    assert_eq!((outcome.code, found), (1, wanted));

    for (args, wanted) in [
        (&["base.simx", "bad.simx", "b.simx"][..], "error: bad.simx: "),
        (&["base.simx", "a.simx"], "error: "),
        (
            &["base.simx", "a.simx", "b.simx", "c.simx"],
            "error: merge takes three states, BASE OURS THEIRS, but 4 are given",
        ),
    ] {
        let outcome = simulate(path, &[&["merge", "-o", "none.simx"], args].concat());
        assert_eq!(outcome.code, 2, "{args:?}");
        assert!(outcome.err.starts_with(wanted), "{}", outcome.err);
        assert!(!path.join("none.simx").exists());
    }
}

#[test]
fn a_setup_says_what_it_wrote_and_writes_it_once() {
    let folder = folder(&[(".gitattributes", "*.csv text"), ("sub/x", "")]);
    let path = folder.path();
    let outcome = simulate(path, &["git-setup"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("run this in a folder of a repository, or with --global"), "{}", outcome.err);
    git(path, &["init", "-q"]);
    let outcome = simulate(&path.join("sub"), &["git-setup"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.contains(".gitattributes: *.simx diff=simx merge=simx\n"), "{}", outcome.out);
    for name in ["diff.simx.command", "merge.simx.name", "merge.simx.driver"] {
        let value = git(path, &["config", "--local", name]);
        assert!(outcome.out.contains(&format!("set {name} (local): {value}")), "{}", outcome.out);
    }
    let attributes = || fs::read_to_string(path.join(".gitattributes")).expect("the attributes");
    assert_eq!(attributes(), "*.csv text\n*.simx diff=simx merge=simx\n");
    let outcome = simulate(path, &["git-setup"]);
    assert!(outcome.out.contains("has it already"), "{}", outcome.out);
    assert_eq!(attributes(), "*.csv text\n*.simx diff=simx merge=simx\n");
}

#[test]
fn a_global_setup_is_the_users_own() {
    let folder = folder(&[("home/x", "")]);
    let home = folder.path().join("home");
    let mut command = super::command(folder.path(), &["git-setup", "--global"]);
    command.env("HOME", &home).env_remove("XDG_CONFIG_HOME").env_remove("GIT_CONFIG_GLOBAL");
    let output = command.output().expect("the command");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(home.join(name)).expect("a file");
    assert_eq!(read(".config/git/attributes"), "*.simx diff=simx merge=simx\n");
    assert!(read(".gitconfig").contains("merge --git-driver %O %A %B %P"));
    assert!(!folder.path().join(".gitattributes").exists());
}

#[test]
fn two_clones_that_changed_one_subsystem_are_merged_by_a_pull() {
    let origin = repository(&[("models/motor.simx", FILE)]);
    let clone = tempfile::tempdir().expect("a folder");
    let there = clone.path().join("clone");
    git(clone.path(), &["clone", "-q", &origin.path().display().to_string(), "clone"]);
    assert_eq!(simulate(&there, &["git-setup"]).code, 0);
    // The same subsystem, and lines beside each other.
    edit(origin.path(), "models/motor.simx", "First", &[FIRST]);
    edit(&there, "models/motor.simx", "Second", &[SECOND]);
    git(&there, &["pull", "-q", "--no-rebase"]);
    let text = fs::read_to_string(there.join("models/motor.simx")).expect("the file");
    assert_eq!(text, FILE.replace(FIRST.0, FIRST.1).replace(SECOND.0, SECOND.1));

    edit(origin.path(), "models/motor.simx", "Seven", &[("<value>5</value>", "<value>7</value>")]);
    edit(&there, "models/motor.simx", "Eight", &[("<value>5</value>", "<value>8</value>")]);
    let outcome = try_git(&there, &["pull", "-q", "--no-rebase"]);
    assert!(!outcome.is_success);
    assert!(
        outcome.text.contains("models/motor.simx: 1 conflict; open it in Simulate to settle it"),
        "{}",
        outcome.text
    );
    assert!(outcome.text.contains("Main/Source, Value: 5 in base, 8 in ours, 7 in theirs"), "{}", outcome.text);
    let text = fs::read_to_string(there.join("models/motor.simx")).expect("the file");
    assert!(text.contains("conflicts=\"option:Value[base=5,ours=8,theirs=7]\"") && !text.contains("<<<<"), "{text}");
}

#[test]
fn a_file_that_one_branch_renamed_has_the_changes_of_the_other() {
    let folder = repository(&[("motor.simx", FILE)]);
    let path = folder.path();
    git(path, &["checkout", "-q", "-b", "other"]);
    edit(path, "motor.simx", "First", &[FIRST]);
    git(path, &["checkout", "-q", "main"]);
    git(path, &["mv", "motor.simx", "drive.simx"]);
    edit(path, "drive.simx", "Second, in another file", &[SECOND, ("\"Plant\"", "\"Machine\"")]);
    git(path, &["merge", "-q", "--no-edit", "other"]);
    let text = fs::read_to_string(path.join("drive.simx")).expect("the file");
    let wanted = FILE.replace(FIRST.0, FIRST.1).replace(SECOND.0, SECOND.1).replace("\"Plant\"", "\"Machine\"");
    assert_eq!(text, wanted);
}

/// Each branch is merged into the other, and each goes on: there are two bases, which git merges first.
#[test]
fn branches_that_cross_are_merged() {
    let folder = repository(&[("motor.simx", FILE)]);
    let path = folder.path();
    git(path, &["checkout", "-q", "-b", "other"]);
    edit(path, "motor.simx", "First", &[FIRST]);
    let first = git(path, &["rev-parse", "HEAD"]).trim().to_owned();
    git(path, &["checkout", "-q", "main"]);
    edit(path, "motor.simx", "Second", &[SECOND]);
    let second = git(path, &["rev-parse", "HEAD"]).trim().to_owned();
    git(path, &["merge", "-q", "--no-edit", &first]);
    edit(path, "motor.simx", "Further", &[("value=\"2\"", "value=\"3\"")]);
    git(path, &["checkout", "-q", "other"]);
    git(path, &["merge", "-q", "--no-edit", &second]);
    edit(path, "motor.simx", "And back", &[("<value>10</value>", "<value>12</value>")]);
    assert_eq!(git(path, &["merge-base", "--all", "main", "other"]).lines().count(), 2);
    git(path, &["merge", "-q", "--no-edit", "main"]);
    let text = fs::read_to_string(path.join("motor.simx")).expect("the file");
    let wanted = FILE.replace(FIRST.0, "<value>12</value>").replace(SECOND.0, SECOND.1);
    assert_eq!(text, wanted.replace("value=\"2\"", "value=\"3\""));
}

#[test]
fn ten_commits_are_rebased() {
    let folder = repository(&[("motor.simx", FILE)]);
    let path = folder.path();
    git(path, &["checkout", "-q", "-b", "other"]);
    // Each adds a block behind the one before, with the next id.
    let mut last = 3;
    for id in 5..15 {
        let block = format!(
            "<exit id=\"4\" name=\"y\"/>\n\t\t<block id=\"{id}\" group=\"Math\" name=\"Gain\" label=\"G{id}\"/>"
        );
        let wire = format!(
            "\t\t<connection from=\"{last}\" output=\"Output\" to=\"{id}\" input=\"Input\"/>\n\t</model>\n</simulation>"
        );
        edit(
            path,
            "motor.simx",
            &format!("Block {id}"),
            &[("<exit id=\"4\" name=\"y\"/>", &block), ("\t</model>\n</simulation>", &wire)],
        );
        last = id;
    }
    git(path, &["checkout", "-q", "main"]);
    // A block with the first of these ids, another name of the model, and a value.
    let block = "<exit id=\"4\" name=\"y\"/>\n\t\t<block id=\"5\" group=\"Continuous\" name=\"PT1\" label=\"Mine\"/>";
    edit(path, "motor.simx", "Mine", &[("<exit id=\"4\" name=\"y\"/>", block), ("\"Plant\"", "\"Machine\""), FIRST]);
    git(path, &["checkout", "-q", "other"]);
    git(path, &["rebase", "-q", "main"]);
    assert_eq!(git(path, &["log", "--oneline", "main..other"]).lines().count(), 10);
    let text = fs::read_to_string(path.join("motor.simx")).expect("the file");
    assert!(text.contains("label=\"Mine\"") && text.contains("\"Machine\"") && text.contains(FIRST.1), "{text}");
    let labels = (5..15).filter(|id| text.contains(&format!("label=\"G{id}\"")));
    assert_eq!(labels.count(), 10, "{text}");
    // Each is still behind the one before, whatever their ids are now.
    let outcome = simulate(path, &["check", "motor.simx"]);
    assert_eq!(outcome.code, 0, "{}", outcome.out);
    assert_eq!(text.matches("<connection").count(), FILE.matches("<connection").count() + 10, "{text}");
}

/// Without the driver git leaves lines in the file that are no XML.
#[test]
fn a_file_that_git_merged_as_a_text_says_what_to_do() {
    let text = FILE.replace(FIRST.0, "<<<<<<< HEAD\n<value>10</value>\n=======\n<value>11</value>\n>>>>>>> other\n");
    let text = text.replace("<option name=\"Gain\"><<<<", "<option name=\"Gain\">\n<<<<");
    let folder = folder(&[("m.simx", &text)]);
    let outcome = simulate(folder.path(), &["check", "m.simx"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.out.contains("simulate git-setup") && outcome.out.contains("m.simx:14:1"), "{}", outcome.out);
}
