//! Models from a library remember it: a newer version is offered, shown and taken, as one change that can be undone.

use std::path::Path;

use eframe::egui::Key;
use egui_kittest::kittest::Queryable as _;
use simulate::app::Settings;
use simulate::app::action::command::{Command, EditCommand, FileCommand, Panel};
use simulate::app::action::{Action, FileAction, ViewAction};
use simulate::format::{Formats, LoadOptions, content_hash};
use simulate::model::{Block, BlockId, BlockKind, Connection, LibraryLink, Model, Simulation};

use super::{Opened as _, Window, gain_chain, settle, show, window_with};

/// A library with a model `Twice` that multiplies by `gain`, and has a model of its own inside.
fn library(gain: &str) -> Simulation {
    let mut simulation = Simulation::new("Sheet");
    let mut inner = Model::new("Inner");
    inner.add_block(Block::new(BlockId(0), BlockKind::entry("u")).at(0.0, 0.0));
    let block = Block::new(BlockId(1), BlockKind::library("Math", "Gain")).with_option("Gain", &[gain]);
    inner.add_block(block.at(120.0, 0.0));
    inner.add_block(Block::new(BlockId(2), BlockKind::exit("y")).at(240.0, 0.0));
    inner.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    inner.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    let mut twice = Model::new("Twice");
    twice.add_block(Block::new(BlockId(0), BlockKind::entry("u")).at(0.0, 0.0));
    twice.add_block(Block::new(BlockId(1), BlockKind::model("Inner")).at(120.0, 0.0));
    twice.add_block(Block::new(BlockId(2), BlockKind::exit("y")).at(240.0, 0.0));
    twice.connect(Connection::new(BlockId(0), "Output", BlockId(1), "u"));
    twice.connect(Connection::new(BlockId(1), "y", BlockId(2), "Input"));
    simulation.add_model(inner);
    simulation.add_model(twice);
    simulation
}

fn write(folder: &Path, gain: &str) {
    let path = folder.join("Filters.simx");
    std::fs::write(&path, Formats::standard().bytes_of(&path, &library(gain)).expect("bytes")).expect("written");
}

/// A window with a library, and a document with one copy of its model.
fn with_copy(folder: &Path) -> Window {
    write(folder, "2");
    let mut harness = window_with(Settings { libraries: Some(folder.to_owned()), ..Settings::default() });
    settle(&mut harness);
    show(&mut harness, gain_chain());
    harness.get_by_label("Twice (Filters)").focus();
    harness.run_ok();
    harness.key_press(Key::Enter);
    harness.run_ok();
    harness
}

/// Changes the library and reads it again.
fn change(harness: &mut Window, folder: &Path, gain: &str) {
    write(folder, gain);
    harness.state_mut().dispatch(Command::File(FileCommand::ReloadLibrary));
    settle(harness);
}

fn gain(harness: &Window) -> String {
    let simulation = harness.state().open().simulation();
    let inner = simulation.model("Inner").and_then(|inner| inner.block(BlockId(1)).cloned()).expect("the gain");
    inner.option_texts("Gain").expect("its value").concat()
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

fn problems(harness: &mut Window) {
    harness.state_mut().act(Action::View(ViewAction::ShowPanel(Panel::Problems)));
    harness.run_ok();
}

#[test]
fn a_copy_has_the_hash_of_its_original_wherever_it_is() {
    let from = library("2");
    let mut into = gain_chain();
    // A model of the same name has another content, so that the copy inside gets another name.
    into.add_model(Model::new("Inner"));
    let copied = simulate::model::copy_model(&from, "Twice", &into).expect("a copy");
    assert!(copied.simulation.model("Inner 2").is_some());
    let hash = content_hash(&from, "Twice").expect("a hash");
    assert_eq!(content_hash(&copied.simulation, &copied.name).as_ref(), Some(&hash));
    // Layout does not count, values inside do.
    let mut moved = from.clone();
    let twice = moved.model_mut("Twice").expect("the model");
    twice.block_mut(BlockId(1)).expect("a block").set_position(simulate::model::Position { x: 500.0, y: 9.0 });
    assert_eq!(content_hash(&moved, "Twice").as_ref(), Some(&hash));
    assert_ne!(content_hash(&library("3"), "Twice").as_ref(), Some(&hash));
}

#[test]
fn a_newer_version_is_offered_shown_taken_and_undone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = with_copy(folder.path());
    let link = |harness: &Window| {
        let simulation = harness.state().open().simulation();
        simulation.model("Twice").and_then(|model| LibraryLink::of(model))
    };
    let first = link(&harness).expect("it remembers its library");
    assert_eq!((&*first.library, &*first.model), ("Filters", "Twice"));
    problems(&mut harness);
    assert!(harness.query_by_label("Update Twice from library").is_none(), "it is up to date");

    change(&mut harness, folder.path(), "5");
    harness.get_by_label("Twice: the library has a newer version");
    click(&mut harness, "Update Twice from library");
    harness.get_by_label_contains("Gain.Gain: 2 → 5");
    assert!(harness.query_by_label_contains("was changed in this file").is_none());
    assert_eq!(gain(&harness), "2", "nothing changes before the answer");
    click(&mut harness, "Update");
    assert_eq!(gain(&harness), "5");
    assert_ne!(link(&harness).expect("a link").hash, first.hash);
    assert!(harness.query_by_label("Update Twice from library").is_none());
    // No model is left over, and the instance is there.
    let names: Vec<String> =
        harness.state().open().simulation().models_in_order().iter().map(|model| model.name.to_string()).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("Inner")).count(), 1, "{names:?}");
    assert_eq!(harness.state().open().simulation().users_of("Twice").count(), 1);

    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!((gain(&harness), link(&harness)), ("2".to_owned(), Some(first)));
    harness.get_by_label("Update Twice from library");
}

#[test]
fn a_copy_that_was_changed_here_says_so_and_an_unlinked_one_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = with_copy(folder.path());
    let values = Some(vec!["7".to_owned()]);
    let edit = simulate::model::Edit::SetOption { model: "Inner".into(), id: BlockId(1), name: "Gain".into(), values };
    harness.state_mut().act(Action::Apply(simulate::model::Change::one("Set Gain", edit)));
    problems(&mut harness);
    assert!(harness.query_by_label("Update Twice from library").is_none(), "the library is as it was");
    change(&mut harness, folder.path(), "5");
    click(&mut harness, "Update Twice from library");
    harness.get_by_label("This copy was changed in this file: the update replaces those changes, too.");
    harness.get_by_label_contains("Gain.Gain: 7 → 5");
    click(&mut harness, "Cancel");
    assert_eq!(gain(&harness), "7");
    let removal = simulate::model::Change::new("Unlink", LibraryLink::removal(&"Twice".into()));
    harness.state_mut().act(Action::Apply(removal));
    harness.run_ok();
    assert!(harness.query_by_label("Update Twice from library").is_none());
    harness.state_mut().act(Action::File(FileAction::AskLibraryUpdate("Twice".into())));
    harness.run_ok();
    assert_eq!(gain(&harness), "7");
}

/// The link is kept by a file, and by programs that do not know it.
#[test]
fn a_link_is_kept_in_the_file() {
    let link = LibraryLink { library: "My/Filters".into(), model: "Twice".into(), hash: "0123".into() };
    let mut simulation = library("2");
    link.write(&mut simulation.model_mut("Twice").expect("the model").attributes);
    let folder = tempfile::tempdir().expect("a folder");
    let (formats, path) = (Formats::standard(), folder.path().join("a.simx"));
    std::fs::write(&path, formats.bytes_of(&path, &simulation).expect("bytes")).expect("written");
    let read = formats.open(&path, &LoadOptions::default()).expect("it is read");
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    assert_eq!(read.simulation.model("Twice").and_then(|model| LibraryLink::of(model)), Some(link));
}
