//! The export of C code from the window.

use egui_kittest::kittest::Queryable as _;
use simulate::app::Settings;
use simulate::app::action::command::{Command, FileCommand};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

use super::{Opened as _, gain_chain, show, until, window, window_with_any_letter};

/// Chooses the command, and presses buttons and choices of its dialog in turn.
fn ask(harness: &mut super::Window, labels: &[&str]) {
    harness.state_mut().dispatch(Command::File(FileCommand::ExportCode));
    harness.run_ok();
    for label in labels {
        harness.get_by_label(label).click();
        harness.run_ok();
    }
}

/// The gain chain in a model of its own, behind the root's only block.
fn nested() -> Simulation {
    let mut simulation = gain_chain();
    let mut root = Model::new("Top");
    root.add_block(Block::new(BlockId(7), BlockKind::model("Main")).at(0.0, 0.0));
    root.add_block(Block::new(BlockId(8), BlockKind::exit("Seen")).at(200.0, 0.0));
    root.connect(Connection::new(BlockId(7), "Result", BlockId(8), "Input"));
    simulation.add_model(root);
    simulation.root = "Top".into();
    simulation
}

#[test]
fn the_code_is_written_into_a_folder_that_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, gain_chain());
    ask(&mut harness, &["Constant", "One", "Export…"]);
    let path = folder.path().join("code");
    assert!(harness.state_mut().choose_path(path.clone()), "a folder is asked for");
    until(&mut harness, "the notice", |app| app.window.message.is_some());
    let message = harness.state().window.message.as_ref().expect("a notice").text.clone();
    assert_eq!(message, format!("Wrote 8 files to {}", path.display()));
    let head = std::fs::read_to_string(path.join("test.h")).expect("the header");
    assert!(!head.contains("test_parameters"), "they are constants");
    assert!(!path.join("simulate_math.c").exists(), "the mathematics is in the same file");
}

#[test]
fn the_code_is_compared_with_the_simulation() {
    if !crate::export::bench::is_installed("cc") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, gain_chain());
    ask(&mut harness, &["Compile and compare with the simulation", "Export…"]);
    harness.state_mut().choose_path(folder.path().join("code"));
    until(&mut harness, "the notice", |app| app.window.message.is_some());
    let message = &harness.state().window.message.as_ref().expect("a notice").text;
    assert!(message.ends_with("50 steps are exactly those of the simulation"), "{message}");
}

#[test]
fn one_model_is_chosen_by_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, nested());
    ask(&mut harness, &["Model", "Main", "Export…"]);
    let path = folder.path().join("code");
    harness.state_mut().choose_path(path.clone());
    until(&mut harness, "the header", |_| path.join("main_model.h").exists());
}

#[test]
fn a_refusal_shows_its_block() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut simulation = nested();
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(Block::new(BlockId(5), BlockKind::library("Flow", "Repeat")).at(0.0, 200.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(5), "Times"));
    // The help page of the block has letters that the fonts do not have.
    let mut harness = window_with_any_letter(Settings::default());
    show(&mut harness, simulation);
    ask(&mut harness, &["Export…"]);
    harness.state_mut().choose_path(folder.path().join("code"));
    until(&mut harness, "the refusal", simulate::app::App::has_dialog);
    harness.run_ok();
    harness.get_by_label_contains("Repeat #5 in “Main” sets its output several times in a step");
    harness.get_by_label("Show block").click();
    harness.run_ok();
    assert!(!harness.state().has_dialog());
    let file = harness.state().open();
    assert_eq!(file.canvas.path(), [BlockId(7)]);
    assert!(file.canvas.selection().blocks.contains(&BlockId(5)));
    assert!(!folder.path().join("code").exists(), "nothing is written");
}

/// Exports into a folder whose Makefile somebody else has written, and answers the question.
fn with_makefile(answer: &str) -> (tempfile::TempDir, super::Window) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("Makefile"), "all:\n").expect("a file");
    let mut harness = window();
    show(&mut harness, gain_chain());
    ask(&mut harness, &["Export…"]);
    harness.state_mut().choose_path(folder.path().to_owned());
    until(&mut harness, "the question", simulate::app::App::has_dialog);
    harness.run_ok();
    harness.get_by_label_contains("edited or are not from an export");
    harness.get_by_label("Makefile");
    assert!(!folder.path().join("test.c").exists(), "nothing is written before the answer");
    harness.get_by_label(answer).click();
    harness.run_ok();
    assert!(!harness.state().has_dialog());
    (folder, harness)
}

fn makefile(folder: &tempfile::TempDir) -> String {
    std::fs::read_to_string(folder.path().join("Makefile")).expect("the file")
}

/// A file of somebody else is replaced only if he says so.
#[test]
fn a_changed_file_is_asked_about() {
    let (folder, _) = with_makefile("Cancel");
    assert_eq!(makefile(&folder), "all:\n");
    assert!(!folder.path().join("test.c").exists());
    let (folder, mut harness) = with_makefile("Keep mine");
    until(&mut harness, "the notice", |app| app.window.message.is_some());
    assert_eq!(makefile(&folder), "all:\n");
    assert!(folder.path().join("test.c").exists(), "the others are written");
    let message = harness.state().window.message.as_ref().expect("a notice").text.clone();
    assert!(message.ends_with("; 1 stays as it is"), "{message}");
    let (folder, mut harness) = with_makefile("Overwrite");
    until(&mut harness, "the notice", |app| app.window.message.is_some());
    assert_ne!(makefile(&folder), "all:\n");
}

/// The folder of a model is no place for code: it begins in a folder of its own, and where it was written last.
#[test]
fn code_gets_a_folder_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("Plant.simx");
    simulate::format::Formats::standard().save(&path, &gain_chain()).expect("it is written");
    let mut harness = window();
    harness.state_mut().open_path(&path);
    until(&mut harness, "the file", |app| app.file.is_some());
    ask(&mut harness, &["Export…"]);
    assert_eq!(harness.state().suggested_path(), Some(folder.path().join("Plant C code")));
    let other = folder.path().join("elsewhere");
    harness.state_mut().choose_path(other.clone());
    until(&mut harness, "the notice", |app| {
        app.window.message.as_ref().is_some_and(|said| said.text.starts_with("Wrote"))
    });
    assert!(!folder.path().join("Plant C code").exists(), "an empty folder is not left");
    ask(&mut harness, &["Export…"]);
    assert_eq!(harness.state().suggested_path(), Some(other));
}
