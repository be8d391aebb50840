//! The panel Review: conflicts of a merge are settled, and the document is compared with another state.

use std::path::PathBuf;

use eframe::egui::Key;
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, FileCommand, Panel};
use simulate::model::{Change, Edit, conflicts};

use super::panels::type_into;
use super::{Opened as _, Window, settle, until, window};
use crate::cli::git;
use crate::merge::{MOTOR, merged, parsed, written};

fn text() -> String {
    MOTOR.to_owned()
}

/// A merge in which a value and a wire are conflicts.
fn conflicted() -> String {
    let wire = |from: &str| format!("<connection from=\"{from}\" output=\"Output\" to=\"6\" input=\"Input\"/>");
    let side = |value: &str, from: &str| {
        parsed(&text().replace("<value>5</value>", &format!("<value>{value}</value>")).replace(&wire("4"), &wire(from)))
    };
    written(&merged(&parsed(&text()), &side("7", "1"), &side("8", "5")).simulation)
}

fn opened(path: &std::path::Path) -> Window {
    let mut harness = window();
    harness.state_mut().open_path(path);
    until(&mut harness, "the model", |app| app.file.is_some());
    settle(&mut harness);
    harness
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn press(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

fn undo(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
}

fn now(harness: &Window) -> String {
    written(harness.state().open().simulation())
}

fn left(harness: &Window) -> usize {
    conflicts(harness.state().open().simulation()).len()
}

#[test]
fn a_file_with_conflicts_opens_with_its_conflicts_and_each_is_settled() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = opened(&file(&folder, "m.simx", &conflicted()));
    assert!(harness.state().window.layout.is_shown(Panel::Review));
    harness.get_by_label("Conflicts 2");
    assert_eq!(left(&harness), 2);
    // It is drawn, and does not run.
    let problems = &harness.state().open().diagnostics;
    assert!(problems.errors().iter().any(|found| found.code == "merge-conflict"));

    let before = now(&harness);
    press(&mut harness, "Theirs for Main/Wanted, Final Value");
    assert!(now(&harness).contains("<value>8</value>"));
    assert_eq!(left(&harness), 1);
    undo(&mut harness);
    assert_eq!(now(&harness), before);

    press(&mut harness, "Base for wire Main/speed.Input, connection");
    assert!(now(&harness).contains("<connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>"));
    type_into(&mut harness, "Value for Main/Wanted, Final Value", "2*pi");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert!(now(&harness).contains("<value>2*pi</value>"));
    assert_eq!(left(&harness), 0);
    harness.get_by_label("No conflicts");
    undo(&mut harness);
    press(&mut harness, "Keep Main/Wanted, Final Value");
    assert!(now(&harness).contains("<value>7</value>"));
    assert_eq!(left(&harness), 0);
}

#[test]
fn all_conflicts_are_settled_in_one_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(&folder, "m.simx", &conflicted());
    for (side, value, from) in [("Ours", "7", "1"), ("Theirs", "8", "5"), ("Base", "5", "4")] {
        let mut harness = opened(&path);
        let before = now(&harness);
        press(&mut harness, &format!("Settle all with {side}"));
        assert_eq!(left(&harness), 0, "{side}");
        assert!(now(&harness).contains(&format!("<value>{value}</value>")), "{side}");
        let wire = format!("<connection from=\"{from}\" output=\"Output\" to=\"6\" input=\"Input\"/>");
        assert!(now(&harness).contains(&wire), "{side}");
        undo(&mut harness);
        assert_eq!(now(&harness), before, "{side}");
    }
}

/// Waits for the comparison with another state.
fn compared(harness: &mut Window) {
    until(harness, "the comparison", |app| app.file.as_ref().is_some_and(|file| file.comparison.found().is_some()));
    harness.run_ok();
    assert!(harness.state().window.layout.is_shown(Panel::Review));
}

#[test]
fn a_document_is_compared_with_a_file_and_changes_are_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = file(&folder, "other.simx", &text());
    let changed = text().replace("<value>5</value>", "<value>7</value>").replace("label=\"Motor\"", "label=\"Drive\"");
    let mut harness = opened(&file(&folder, "m.simx", &changed));
    harness.state_mut().dispatch(Command::File(FileCommand::CompareFile));
    assert!(harness.state_mut().choose_path(other));
    compared(&mut harness);
    harness.get_by_label("With other.simx");
    harness.get_by_label("~ Main/Drive: renamed from Motor");
    press(&mut harness, "~ Main/Wanted.Final Value: 5 → 7");
    harness.get_by_label("Diagram of the other state");
    harness.get_by_label("Diagram now");
    press(&mut harness, "Blended");
    harness.get_by_label("Blend");
    press(&mut harness, "Side by side");
    press(&mut harness, "Take back ~ Main/Wanted.Final Value: 5 → 7");
    assert!(now(&harness).contains("<value>5</value>"));
    let list = |app: &simulate::app::App| {
        let found = app.file.as_ref().and_then(|file| file.comparison.found());
        found.map_or(0, |found| found.changes.len())
    };
    until(&mut harness, "the next comparison", |app| list(app) == 1);
    harness.run_ok();
    assert!(harness.query_by_label("~ Main/Wanted.Final Value: 5 → 7").is_none());
    undo(&mut harness);
    until(&mut harness, "the comparison after undo", |app| list(app) == 2);
    press(&mut harness, "End");
    harness.get_by_label("Choose what to compare with");
}

#[test]
fn a_document_is_compared_with_its_last_commit_and_with_its_history() {
    let folder = git::repository(&[("m.simx", &text())]);
    let mut harness = opened(&folder.path().join("m.simx"));
    let edit = Edit::SetSteps(7);
    assert!(harness.state_mut().apply(&Change::one("Seven steps", edit)));
    harness.state_mut().dispatch(Command::File(FileCommand::CompareCommit));
    compared(&mut harness);
    harness.get_by_label("With m.simx in the last commit");
    harness.get_by_label("~ simulation, steps: 100 → 7");

    assert!(harness.state_mut().apply(&Change::one("Eight steps", Edit::SetSteps(8))));
    harness.run_ok();
    press(&mut harness, "Earlier state…");
    press(&mut harness, "After: Seven steps");
    compared(&mut harness);
    harness.get_by_label("With after “Seven steps”");
    harness.get_by_label("~ simulation, steps: 7 → 8");
    press(&mut harness, "Take back ~ simulation, steps: 7 → 8");
    assert_eq!(harness.state().open().simulation().steps, 7);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = opened(&file(&folder, "m.simx", &text()));
    harness.state_mut().dispatch(Command::File(FileCommand::CompareCommit));
    until(&mut harness, "the message", |app| app.window.message.is_some());
    assert!(harness.state().open().comparison.other().is_none());
}

#[test]
fn both_states_are_run_and_their_results_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    // A gain of the step of 5 from the first second, and none before; the other has a gain of 2.
    let chain = |gain: &str| {
        format!(
            "<simulation steps=\"4\" delta=\"0.5\" root=\"Main\"><model name=\"Main\">\
             <block id=\"1\" group=\"Var\" name=\"Step\"><option name=\"Final Value\"><value>5</value></option></block>\
             <block id=\"2\" group=\"Math\" name=\"Gain\"><option name=\"Gain\"><value>{gain}</value></option></block>\
             <exit id=\"3\" name=\"y\"/><exit id=\"4\" name=\"u\"/>\
             <connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input\"/>\
             <connection from=\"2\" output=\"Output\" to=\"3\" input=\"Input\"/>\
             <connection from=\"1\" output=\"Output\" to=\"4\" input=\"Input\"/></model></simulation>"
        )
    };
    let other = file(&folder, "other.simx", &chain("2"));
    let mut harness = opened(&file(&folder, "m.simx", &chain("3")));
    harness.state_mut().dispatch(Command::File(FileCommand::CompareFile));
    assert!(harness.state_mut().choose_path(other));
    compared(&mut harness);
    press(&mut harness, "Results");
    press(&mut harness, "Run both");
    let has_results =
        |app: &simulate::app::App| app.file.as_ref().is_some_and(|file| file.comparison.runs.found().is_some());
    until(&mut harness, "both results", has_results);
    harness.run_ok();
    // 3·5 against 2·5 from t = 1 on.
    harness.get_by_label("y: largest difference 5 at 1 s");
    harness.get_by_label("u: equal");
    harness.get_by_label("Curves of both states");
}
