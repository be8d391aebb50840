//! Saving while other things go on: other documents, other questions, other programs.

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use simulate::app::App;
use simulate::app::action::AfterSave;
use simulate::app::action::command::{Command, EditCommand, FileCommand, RunCommand};
use simulate::app::store::run::RunState;
use simulate::format::{Formats, LoadOptions};
use simulate::model::{Change, Edit, Simulation};

use super::{Window, gain_chain, settle, show, until, window};

fn set_steps(harness: &mut Window, steps: u64) {
    let change = Change::one(format!("Set steps to {steps}"), Edit::SetSteps(steps));
    assert!(harness.state_mut().apply(&change));
    harness.run_ok();
}

fn with_steps(steps: u64) -> Simulation {
    let mut simulation = gain_chain();
    simulation.steps = steps;
    simulation
}

fn steps_in(path: &Path) -> u64 {
    Formats::standard().open(path, &LoadOptions::default()).expect("a simulation").simulation.steps
}

fn steps_of(app: &App) -> Option<u64> {
    app.file.as_ref().map(|file| file.simulation().steps)
}

fn path_of(app: &App) -> Option<PathBuf> {
    app.file.as_ref().and_then(|file| file.path.clone())
}

/// A window with a file of 50 steps that was opened from disk.
fn opened(path: &Path) -> Window {
    Formats::standard().save(path, &with_steps(50)).expect("it is written");
    let mut harness = window();
    harness.state_mut().open_path(path);
    settle(&mut harness);
    assert_eq!(steps_of(harness.state()), Some(50));
    harness
}

/// The same, where another program has made 99 steps of it, and the user 7, who saves.
fn changed_outside(path: &Path) -> Window {
    let mut harness = opened(path);
    set_steps(&mut harness, 7);
    Formats::standard().save(path, &with_steps(99)).expect("the other program writes");
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    until(&mut harness, "the question", App::has_dialog);
    harness.run_ok();
    harness.get_by_label("The file was changed by another program");
    assert_eq!(steps_in(path), 99, "nothing is overwritten before the user has said so");
    assert!(harness.state().is_unsaved());
    harness
}

#[test]
fn a_save_that_ends_late_leaves_the_next_document_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("first.simx");
    let mut harness = opened(&path);
    set_steps(&mut harness, 7);
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    // The save is under way, and nothing of it has come back.
    harness.state_mut().proceed(AfterSave::New);
    let change = Change::one("Set steps to 8", Edit::SetSteps(8));
    assert!(harness.state_mut().apply(&change));
    settle(&mut harness);
    assert_eq!((path_of(harness.state()), steps_of(harness.state())), (None, Some(8)));
    assert!(harness.state().is_unsaved(), "the new document was saved by nobody");
    assert_eq!(steps_in(&path), 7, "what was under way is done");
}

#[test]
fn saves_one_after_the_other_leave_the_last_state_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("often.simx");
    let mut harness = opened(&path);
    for steps in 1..30 {
        let change = Change::one("Set steps", Edit::SetSteps(steps));
        assert!(harness.state_mut().apply(&change));
        harness.state_mut().dispatch(Command::File(FileCommand::Save));
    }
    settle(&mut harness);
    assert!(!harness.state().has_dialog(), "what was written here was changed by no other program");
    assert!(!harness.state().is_unsaved());
    assert_eq!(steps_in(&path), 29);
}

#[test]
fn a_question_keeps_what_it_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.simx");
    let mut harness = window();
    show(&mut harness, gain_chain());
    set_steps(&mut harness, 7);
    harness.state_mut().save_then(Some(AfterSave::Close));
    // Another question while the first one is open is refused with a word.
    harness.state_mut().dispatch(Command::File(FileCommand::ImportModel));
    let says = harness.state().window.message.as_ref().map(|message| message.text.clone());
    assert_eq!(says.as_deref(), Some("Answer the open file dialog first: Save simulation as"));
    assert!(harness.state_mut().choose_path(path.clone()));
    settle(&mut harness);
    assert_eq!(steps_in(&path), 7);
    assert!(harness.state().file.is_none(), "it was to be closed once it is saved");
}

#[test]
fn what_was_to_follow_a_question_does_not_outlive_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, gain_chain());
    set_steps(&mut harness, 7);
    harness.state_mut().save_then(Some(AfterSave::Close));
    // The question is left open while the document goes.
    harness.state_mut().proceed(AfterSave::New);
    assert!(harness.state_mut().choose_path(folder.path().join("gone.simx")));
    settle(&mut harness);
    assert!(!folder.path().join("gone.simx").exists(), "the new document is not what the path was for");
    let path = folder.path().join("new.simx");
    harness.state_mut().dispatch(Command::File(FileCommand::SaveAs));
    assert!(harness.state_mut().choose_path(path.clone()));
    settle(&mut harness);
    assert_eq!(path_of(harness.state()), Some(path), "nothing closes it");
}

#[test]
fn the_problems_of_two_jobs_are_both_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, gain_chain());
    for name in ["one/model.simx", "two/model.simx"] {
        harness.state_mut().dispatch(Command::File(FileCommand::ExportModel));
        assert!(harness.state_mut().choose_path(folder.path().join(name)));
    }
    settle(&mut harness);
    let mut seen = Vec::new();
    for _ in 0..2 {
        harness.get_by_label("The model was not exported");
        seen.extend(["one", "two"].into_iter().filter(|name| {
            let path = folder.path().join(name).join("model.simx");
            harness.query_by_label(&path.display().to_string()).is_some()
        }));
        harness.get_by_label("OK").click();
        harness.run_ok();
    }
    seen.sort_unstable();
    assert_eq!(seen, ["one", "two"]);
    assert!(!harness.state().has_dialog());
}

#[test]
fn a_file_that_another_program_changed_is_overwritten_only_when_the_user_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shared.simx");
    let mut harness = changed_outside(&path);
    harness.get_by_label("Show differences").click();
    harness.run_ok();
    until(&mut harness, "the differences", |app| !app.has_jobs());
    harness.run_ok();
    harness.get_by_label("simulation, steps");
    harness.get_by_label("7");
    harness.get_by_label("99");
    harness.get_by_label("Overwrite").click();
    harness.run_ok();
    settle(&mut harness);
    assert!(!harness.state().is_unsaved() && !harness.state().has_dialog());
    assert_eq!(steps_in(&path), 7);
    // From then on it is known.
    set_steps(&mut harness, 8);
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    settle(&mut harness);
    assert_eq!((steps_in(&path), harness.state().has_dialog()), (8, false));
}

#[test]
fn a_file_that_another_program_changed_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shared.simx");
    let mut harness = changed_outside(&path);
    harness.get_by_label("Reload").click();
    harness.run_ok();
    settle(&mut harness);
    assert_eq!((steps_of(harness.state()), harness.state().is_unsaved()), (Some(99), false));
    assert_eq!(steps_in(&path), 99);
    // What was here is one step back.
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!((steps_of(harness.state()), harness.state().is_unsaved()), (Some(7), true));
}

#[test]
fn a_document_is_saved_beside_the_file_that_another_program_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, beside) = (folder.path().join("shared.simx"), folder.path().join("mine.simx"));
    let mut harness = changed_outside(&path);
    harness.get_by_label("Save as…").click();
    harness.step();
    assert!(harness.state_mut().choose_path(beside.clone()));
    settle(&mut harness);
    assert_eq!((steps_in(&path), steps_in(&beside)), (99, 7));
    assert_eq!(path_of(harness.state()), Some(beside));
}

/// As when the user comes back from another program.
fn get_focus(harness: &mut Window) {
    harness.input_mut().focused = false;
    harness.step();
    harness.input_mut().focused = true;
    harness.step();
    settle(harness);
}

#[test]
fn a_change_by_another_program_is_seen_when_the_window_gets_the_focus() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shared.simx");
    let mut harness = opened(&path);
    let bar = "shared.simx was changed by another program";
    get_focus(&mut harness);
    assert!(harness.query_by_label(bar).is_none(), "nothing has changed");
    // A run of what is here, and an edit.
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the run", |app| app.file.as_ref().is_some_and(|file| file.run.state == RunState::Finished));
    set_steps(&mut harness, 7);
    Formats::standard().save(&path, &with_steps(99)).expect("another program writes it");
    get_focus(&mut harness);
    harness.get_by_label(bar);
    harness.get_by_label("Compare").click();
    harness.run_ok();
    until(&mut harness, "the differences", |app| !app.has_jobs());
    harness.run_ok();
    harness.get_by_label("simulation, steps");
    harness.get_by_label("Cancel").click();
    harness.run_ok();
    harness.get_by_label("Reload").click();
    harness.run_ok();
    settle(&mut harness);
    assert_eq!((steps_of(harness.state()), harness.state().is_unsaved()), (Some(99), false));
    assert!(harness.query_by_label(bar).is_none());
    let file = harness.state().file.as_ref().expect("a file");
    assert_eq!(file.run.runs().iter().count(), 1, "the recorded run stays");
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(steps_of(harness.state()), Some(7));
}

#[test]
fn a_change_by_another_program_is_seen_when_a_run_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shared.simx");
    let mut harness = opened(&path);
    Formats::standard().save(&path, &with_steps(99)).expect("another program writes it");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    settle(&mut harness);
    harness.get_by_label("shared.simx was changed by another program");
    harness.get_by_label("Hide").click();
    harness.run_ok();
    get_focus(&mut harness);
    assert!(harness.query_by_label("Reload").is_none(), "it was hidden");
    Formats::standard().save(&path, &with_steps(98)).expect("it changes again");
    get_focus(&mut harness);
    harness.get_by_label("Reload");
    std::fs::remove_file(&path).expect("it is removed");
    get_focus(&mut harness);
    harness.get_by_label("shared.simx was moved or deleted by another program");
    harness.get_by_label("Save again").click();
    harness.run_ok();
    settle(&mut harness);
    assert_eq!(Some(steps_in(&path)), steps_of(harness.state()));
}

/// A folder that cannot be written, as a full disk: the work goes elsewhere.
#[test]
fn what_cannot_be_saved_is_saved_as_another_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gone/model.simx");
    std::fs::create_dir(folder.path().join("gone")).expect("a folder");
    let mut harness = opened(&path);
    set_steps(&mut harness, 7);
    std::fs::remove_dir_all(folder.path().join("gone")).expect("it is removed");
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    settle(&mut harness);
    harness.get_by_label("The file was not saved");
    harness.get_by_label("Save as…").click();
    harness.step();
    let beside = folder.path().join("mine.simx");
    assert!(harness.state_mut().choose_path(beside.clone()));
    settle(&mut harness);
    assert_eq!((steps_in(&beside), path_of(harness.state())), (7, Some(beside)));
    assert!(!harness.state().has_dialog() && !harness.state().is_unsaved());
}

#[test]
fn a_file_that_is_gone_or_holds_the_same_is_just_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gone.simx");
    let mut harness = opened(&path);
    set_steps(&mut harness, 7);
    std::fs::remove_file(&path).expect("another program removes it");
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    settle(&mut harness);
    assert_eq!((steps_in(&path), harness.state().has_dialog()), (7, false));
    // Touched, but with what it held.
    let bytes = std::fs::read(&path).expect("the file");
    std::fs::write(&path, &bytes).expect("the same");
    set_steps(&mut harness, 8);
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    settle(&mut harness);
    assert_eq!((steps_in(&path), harness.state().has_dialog()), (8, false));
}

#[test]
fn what_becomes_of_unsaved_work_is_asked_once() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    set_steps(&mut harness, 7);
    for _ in 0..3 {
        harness.state_mut().guarded(AfterSave::Quit);
        harness.run_ok();
    }
    harness.get_by_label("Cancel").click();
    harness.run_ok();
    assert!(!harness.state().has_dialog());
    assert_eq!(steps_of(harness.state()), Some(7));
}

/// Saves to a place that refuses, and returns whether the window says this.
#[cfg(target_os = "linux")]
fn is_told(folder: &Path, name: &str, text: &str) -> bool {
    let mut harness = window();
    show(&mut harness, gain_chain());
    set_steps(&mut harness, 7);
    harness.state_mut().dispatch(Command::File(FileCommand::SaveAs));
    assert!(harness.state_mut().choose_path(folder.join(name)));
    settle(&mut harness);
    harness.get_by_label("The file was not saved");
    assert!(harness.state().is_unsaved());
    harness.query_by_label_contains(text).is_some()
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_and_a_file_that_is_read_only_are_said_in_plain_words() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    symlink("/dev/full", folder.path().join("full.simx")).expect("a link");
    assert!(is_told(folder.path(), "full.simx", "the disk is full; free some space and try again"));
    let locked = folder.path().join("locked.simx");
    std::fs::write(&locked, "mine").expect("it is written");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o444)).expect("it is ours");
    assert!(is_told(folder.path(), "locked.simx", "the file is read-only"));
    assert_eq!(std::fs::read_to_string(&locked).expect("it is there"), "mine");
    assert!(is_told(folder.path(), "no/such.simx", "the folder does not exist"));
    let mut left: Vec<_> =
        std::fs::read_dir(folder.path()).expect("the folder").flatten().map(|e| e.file_name()).collect();
    left.sort();
    assert_eq!(left, ["full.simx", "locked.simx"], "no temporary file is left");
}

/// The administrator may write into every folder; this user may not.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_read_only_refuses_and_the_file_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let allow = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (locked, open) = (folder.path().join("locked"), folder.path().join("open"));
    for inner in [&locked, &open] {
        std::fs::create_dir(inner).expect("a folder");
        Formats::standard().save(&inner.join("a.simx"), &with_steps(50)).expect("it is written");
        allow(&inner.join("a.simx"), 0o666);
    }
    allow(folder.path(), 0o755);
    allow(&open, 0o777);
    allow(&locked, 0o555);
    crate::as_a_user(|| {
        for (inner, is_allowed) in [(&open, true), (&locked, false)] {
            let path = inner.join("a.simx");
            let mut harness = window();
            harness.state_mut().open_path(&path);
            settle(&mut harness);
            set_steps(&mut harness, 7);
            harness.state_mut().dispatch(Command::File(FileCommand::Save));
            settle(&mut harness);
            assert_eq!(harness.state().is_unsaved(), !is_allowed);
            assert_eq!(steps_in(&path), if is_allowed { 7 } else { 50 });
            if !is_allowed {
                harness.get_by_label("The file was not saved");
                harness.get_by_label_contains("you have no permission to write here");
            }
        }
        assert!(is_told(&locked, "new.simx", "you have no permission to write here"));
    });
    allow(&locked, 0o755);
    for inner in [&locked, &open] {
        let left: Vec<_> = std::fs::read_dir(inner).expect("the folder").flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, ["a.simx"], "no temporary file is left");
    }
}

#[test]
fn reverting_undoes_all_since_the_last_save_and_can_be_redone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = opened(&folder.path().join("a.simx"));
    [7, 8, 9].into_iter().for_each(|steps| set_steps(&mut harness, steps));
    harness.state_mut().dispatch(Command::File(FileCommand::Revert));
    harness.run_ok();
    assert_eq!(steps_of(harness.state()), Some(50));
    assert!(!harness.state().is_unsaved());
    harness.state_mut().dispatch(Command::Edit(EditCommand::Redo));
    assert_eq!(steps_of(harness.state()), Some(7));
    // The saved state may be ahead, where changes were undone.
    [8, 9].into_iter().for_each(|steps| set_steps(&mut harness, steps));
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    settle(&mut harness);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(steps_of(harness.state()), Some(7));
    harness.state_mut().dispatch(Command::File(FileCommand::Revert));
    harness.run_ok();
    assert_eq!(steps_of(harness.state()), Some(9));
    assert!(!harness.state().is_unsaved());
}

#[test]
fn reloading_reads_the_file_as_it_is_now() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.simx");
    let mut harness = opened(&path);
    set_steps(&mut harness, 7);
    Formats::standard().save(&path, &with_steps(99)).expect("the other program writes");
    harness.state_mut().dispatch(Command::File(FileCommand::Reload));
    settle(&mut harness);
    assert_eq!(steps_of(harness.state()), Some(99));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(steps_of(harness.state()), Some(7), "nothing is lost");
}
