//! The export of FMUs from the window.

use egui_kittest::kittest::Queryable as _;
use simulate::app::Settings;
use simulate::app::action::command::{Command, FileCommand};
use simulate::model::{Block, BlockId, BlockKind};

use super::{Opened as _, gain_chain, show, until, window, window_with_any_letter};

/// Chooses the command, presses buttons and choices of its dialog in turn, and names the file.
fn export(harness: &mut super::Window, labels: &[&str], path: &std::path::Path) {
    harness.state_mut().dispatch(Command::File(FileCommand::ExportFmu));
    harness.run_ok();
    for label in labels.iter().chain(&["Export…"]) {
        harness.get_by_label(label).click();
        harness.run_ok();
    }
    assert!(harness.state_mut().choose_path(path.to_owned()), "a file is asked for");
}

#[test]
fn an_fmu_is_written() {
    for (labels, version, place) in
        [(&["Sources only"][..], "2.0", "sources/"), (&["FMI 3.0", "Sources only"], "3.0", "sources/")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let mut harness = window();
        show(&mut harness, gain_chain());
        let path = folder.path().join("chain.fmu");
        export(&mut harness, labels, &path);
        until(&mut harness, "the notice", |app| app.window.message.is_some());
        let message = harness.state().window.message.as_ref().expect("a notice").text.clone();
        assert_eq!(message, format!("Wrote {}: FMI {version}, co-simulation and model exchange", path.display()));
        let bytes = std::fs::read(&path).expect("the file");
        assert!(bytes.starts_with(b"PK"), "it is an archive");
        let has = |name: &str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
        assert!(has("modelDescription.xml") && has(place) && !has("binaries/"));
    }
}

#[test]
fn an_fmu_that_cannot_be_written_names_its_block() {
    let folder = tempfile::tempdir().expect("a folder");
    // The help page of the block has letters that the fonts do not have.
    let mut harness = window_with_any_letter(Settings::default());
    let mut simulation = gain_chain();
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(Block::new(BlockId(77), BlockKind::library("Flow", "Repeat")).at(300.0, 300.0));
    show(&mut harness, simulation);
    export(&mut harness, &["Sources only"], &folder.path().join("chain.fmu"));
    until(&mut harness, "the refusal", simulate::app::App::has_dialog);
    harness.run_ok();
    harness.get_by_label_contains("sets its output several times in a step");
    harness.get_by_label("Show block").click();
    harness.run_ok();
    assert!(harness.state().open().canvas.selection().blocks.contains(&BlockId(77)), "the block is shown");
    assert!(!folder.path().join("chain.fmu").exists());
}
