use egui_kittest::kittest::Queryable as _;
use simulate::app::Next;
use simulate::app::command::Command;
use simulate::model::{Change, Edit};

use super::{gain_chain, sample, settle, show, until, window};

fn change_something(harness: &mut super::Window) {
    assert!(harness.state_mut().apply(&Change::one("Set steps to 7", Edit::SetSteps(7))));
    harness.run_ok();
}

#[test]
fn unsaved_work_is_asked_for() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    change_something(&mut harness);
    harness.state_mut().dispatch(Command::Close);
    harness.run_ok();
    harness.get_by_label("Cancel").click();
    harness.run_ok();
    assert!(harness.state().file.is_some());
    harness.state_mut().dispatch(Command::Close);
    harness.run_ok();
    harness.get_by_label("Don't save").click();
    harness.run_ok();
    assert!(harness.state().file.is_none());
}

#[test]
fn what_is_saved_closes_without_a_word() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Close);
    assert!(harness.state().file.is_none());
}

#[test]
fn saving_and_opening_gives_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gain.simx");
    let mut harness = window();
    show(&mut harness, gain_chain());
    change_something(&mut harness);
    if let Some(file) = &mut harness.state_mut().file {
        file.path = Some(path.clone());
    }
    harness.state_mut().dispatch(Command::Save);
    until(&mut harness, "the save", |app| !app.is_unsaved());
    harness.state_mut().guarded(Next::OpenPath(path));
    settle(&mut harness);
    assert_eq!(harness.state().file.as_ref().map(|file| file.simulation().steps), Some(7));
}

#[test]
fn a_folder_that_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, gain_chain());
    change_something(&mut harness);
    if let Some(file) = &mut harness.state_mut().file {
        file.path = Some(folder.path().join("no/such/folder.simx"));
    }
    harness.state_mut().dispatch(Command::Save);
    until(&mut harness, "the message", |app| app.has_dialog());
    harness.run_ok();
    harness.get_by_label("The file was not saved");
    assert!(harness.state().is_unsaved());
}

#[test]
fn the_original_programs_files_open() {
    for name in ["nested3.simx", "view_data.simx", "vector_feedback.simx"] {
        let mut harness = window();
        harness.state_mut().open_path(&sample(name));
        settle(&mut harness);
        assert!(harness.state().file.is_some(), "{name}");
    }
}
