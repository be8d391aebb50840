use egui_kittest::kittest::Queryable as _;
use simulate::app::action::AfterSave;
use simulate::app::action::command::{Command, FileCommand};
use simulate::format::Formats;
use simulate::model::{Block, BlockId, BlockKind, Change, Edit, Model, Simulation, nesting};

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
    harness.state_mut().dispatch(Command::File(FileCommand::Close));
    harness.run_ok();
    harness.get_by_label("Cancel").click();
    harness.run_ok();
    assert!(harness.state().file.is_some());
    harness.state_mut().dispatch(Command::File(FileCommand::Close));
    harness.run_ok();
    harness.get_by_label("Don't save").click();
    harness.run_ok();
    assert!(harness.state().file.is_none());
}

#[test]
fn what_is_saved_closes_without_a_word() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::File(FileCommand::Close));
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
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    until(&mut harness, "the save", |app| !app.is_unsaved());
    harness.state_mut().guarded(AfterSave::OpenPath(path));
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
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
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

/// `Main` uses `A`, `A` uses `B`, and `B` uses `A`.
fn nested_in_itself() -> Simulation {
    let mut simulation = gain_chain();
    for (model, inner) in [("A", "B"), ("B", "A")] {
        let mut outer = Model::new(model);
        outer.add_block(Block::new(BlockId(0), BlockKind::model(inner)).at(0.0, 0.0));
        simulation.add_model(outer);
    }
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(Block::new(BlockId(9), BlockKind::model("A")).at(0.0, 100.0));
    simulation
}

#[test]
fn a_file_that_is_nested_without_end_is_offered_without_its_invalid_models() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ring.simx");
    Formats::standard().save(&path, &nested_in_itself()).expect("it is written");
    for (choice, rings) in [("Skip invalid models", 0), ("Open as it is", 1)] {
        let mut harness = window();
        harness.state_mut().open_path(&path);
        settle(&mut harness);
        harness.get_by_label("The file is invalid");
        harness.get_by_label_contains("A → B → A");
        assert!(harness.state().file.is_none(), "nothing is shown before the user has said so");
        harness.get_by_label(choice).click();
        harness.run_ok();
        settle(&mut harness);
        let file = harness.state().file.as_ref().expect("it is open");
        assert_eq!(nesting(file.simulation()).rings.len(), rings, "{choice}");
        let says = file.diagnostics.all().iter().any(|found| found.code == "skipped-model");
        assert_eq!(says, rings == 0, "{choice}");
    }
}

/// As `simulate play --skip-invalid-models` opens it.
#[test]
fn a_file_that_is_nested_without_end_opens_unasked_where_its_invalid_models_are_to_be_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ring.simx");
    Formats::standard().save(&path, &nested_in_itself()).expect("it is written");
    let mut harness = window();
    harness.state_mut().window.is_player = true;
    harness.state_mut().open_path_with(&path, simulate::format::LoadOptions { skip_invalid_models: true });
    settle(&mut harness);
    let file = harness.state().file.as_ref().expect("it is open");
    assert!(nesting(file.simulation()).rings.is_empty());
}

#[test]
#[cfg(unix)]
fn what_has_no_end_is_not_opened() {
    let mut harness = window();
    harness.state_mut().open_path(std::path::Path::new("/dev/zero"));
    settle(&mut harness);
    harness.get_by_label("The file could not be opened");
    harness.get_by_label_contains("not a regular file");
}

#[test]
fn a_file_that_is_opened_late_does_not_cost_what_was_edited_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gain.simx");
    Formats::standard().save(&path, &gain_chain()).expect("it is written");
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().guarded(AfterSave::OpenPath(path.clone()));
    // While it is read the user goes on.
    assert!(harness.state_mut().apply(&Change::one("Set steps to 7", Edit::SetSteps(7))));
    settle(&mut harness);
    assert_eq!(harness.state().file.as_ref().map(|file| file.simulation().steps), Some(7));
    harness.get_by_label("Don't save").click();
    harness.run_ok();
    settle(&mut harness);
    assert_eq!(harness.state().file.as_ref().and_then(|file| file.path.clone()), Some(path));
}

/// What the check finds in the file was found without a look at what it is after.
#[test]
fn opening_a_hostile_file_writes_and_reads_nothing_else() {
    use crate::cli::hostile::{hostile, listing};
    let all = hostile();
    let before = listing(all.path());
    // Beside it, since the window remembers the file there.
    let home = tempfile::tempdir().expect("a folder");
    for name in ["m.simx", "entity.simx"] {
        let settings = simulate::app::Settings { home: Some(home.path().to_owned()), ..Default::default() };
        let mut harness = super::window_with(settings);
        harness.state_mut().open_path(&all.path().join("models").join(name));
        settle(&mut harness);
        if let Some(number) = harness.state().file.as_ref().map(|file| file.number) {
            until(&mut harness, "the check", |app| {
                app.file.as_ref().is_some_and(|file| file.number == number && !file.diagnostics.all().is_empty())
            });
            let found = &harness.state().file.as_ref().expect("it is open").diagnostics;
            assert!(found.all().iter().any(|found| found.message.contains("outside")), "{:?}", found.all());
            assert!(found.all().iter().all(|found| !found.message.contains("hunter2")), "{:?}", found.all());
            harness.state_mut().proceed(AfterSave::Close);
        } else {
            assert!(harness.state().has_dialog(), "{name} is refused");
        }
        settle(&mut harness);
        harness.state_mut().finish();
        assert!(listing(all.path()) == before, "{name} changed a file");
    }
}
