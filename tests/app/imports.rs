//! Models of other programs in the window: opened or dropped, with the bar and the panel that say what became of their
//! blocks, and the values that they lack.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::Key;
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, Panel};
use simulate::model::{BlockId, Change, Edit, Model};

use super::panels::type_into;
use super::{Dropped, Opened as _, Window, gain_chain, settle, show, until, window};

fn loop_model() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/imports/models/loop.mdl")
}

/// Opens a file and shows the panel by the button of the bar.
fn opened(path: &Path) -> Window {
    let mut harness = window();
    harness.state_mut().open_path(path);
    until(&mut harness, "the model", |app| app.file.is_some());
    settle(&mut harness);
    harness
}

/// Opens the model with a placeholder, and shows its report.
fn shown() -> Window {
    let mut harness = opened(&loop_model());
    press(&mut harness, "Show");
    harness
}

fn press(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

fn undo(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
}

fn root(harness: &Window) -> &Model {
    harness.state().open().simulation().root_model().expect("a root")
}

/// The id of the block with a title in the root.
fn id_of(harness: &Window, title: &str) -> BlockId {
    root(harness).blocks.values().find(|block| block.title() == title).expect("the block").id
}

fn apply(harness: &mut Window, edit: Edit) {
    assert!(harness.state_mut().apply(&Change::one("Edit", edit)));
    harness.run_ok();
}

/// The text of a model with these blocks and lines.
fn text_of(parts: &str) -> String {
    format!("Model {{\n  Name \"m\"\n  Version 7.4\n  System {{\n    Name \"m\"\n{parts}  }}\n}}\n")
}

fn block(kind: &str, name: &str, params: &str) -> String {
    format!("Block {{\nBlockType {kind}\nName \"{name}\"\nPosition [10, 10, 40, 40]\n{params}\n}}\n")
}

fn line(from: &str, to: &str, port: usize) -> String {
    format!("Line {{\nSrcBlock \"{from}\"\nSrcPort 1\nDstBlock \"{to}\"\nDstPort {port}\n}}\n")
}

/// A model that uses two names which nothing sets, one of them twice.
fn without_values(folder: &Path) -> PathBuf {
    let blocks = block("Constant", "c", "Value \"Kp\"")
        + &block("Gain", "g", "Gain \"2*Kp\"")
        + &block("Gain", "h", "Gain \"Ki\"")
        + &block("Terminator", "t", "");
    let path = folder.join("m.mdl");
    let wires = line("c", "g", 1) + &line("g", "h", 1) + &line("h", "t", 1);
    std::fs::write(&path, text_of(&(blocks + &wires))).expect("it is written");
    path
}

fn value_of(harness: &Window, name: &str) -> String {
    let variables = &harness.state().open().simulation().variables;
    variables.get(name).expect("the variable").value.to_string()
}

/// Types a value into the field of a name.
fn give(harness: &mut Window, name: &str, value: &str) {
    type_into(harness, &format!("Value of {name}"), value);
    harness.key_press(Key::Enter);
    harness.run_ok();
}

fn errors(harness: &Window) -> usize {
    harness.state().open().diagnostics.errors().len()
}

#[test]
fn an_imported_model_says_what_became_of_its_blocks() {
    let mut harness = window();
    harness.input_mut().dropped_files.push(Arc::new(Dropped(loop_model())));
    harness.step();
    until(&mut harness, "the model", |app| app.file.is_some());
    harness.run_ok();
    assert_eq!(harness.state().open().path.as_deref(), Some(&*loop_model()));
    harness.get_by_label_contains("6 blocks: 5 exact, 0 approximated, 1 placeholder");
    assert!(!harness.state().window.layout.is_shown(Panel::Import));
    press(&mut harness, "Show");
    assert!(harness.state().window.layout.is_shown(Panel::Import));
    harness.get_by_label("lost block, S-Function, placeholder");
    assert!(harness.query_by_label_contains(", exact").is_none(), "only what is to be checked is listed at first");
    press(&mut harness, "Hide");
    assert!(harness.query_by_label_contains("Imported from ").is_none());
    harness.get_by_label("lost block, S-Function, placeholder");
}

/// A diagram of Xcos is XML, as our own files are.
#[test]
fn a_diagram_of_xcos_is_opened() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/imports/models");
    for file in ["list.xcos", "events.xcos"] {
        let mut harness = opened(&folder.join(file));
        harness.get_by_label_contains("Imported from Xcos");
        press(&mut harness, "Show");
    }
}

#[test]
fn the_list_is_filtered_searched_and_leads_to_each_block() {
    let mut harness = shown();
    press(&mut harness, "Exact 5");
    harness.get_by_label("spring, 3");
    assert!(harness.query_by_label_contains("lost block, ").is_none());
    type_into(&mut harness, "Search the import", "spring gain");
    assert_eq!(harness.query_all_by_label_contains(", exact").count(), 1);
    press(&mut harness, "k, Gain, exact");
    let file = harness.state().open();
    let open = file.canvas.open_model(file.simulation()).expect("the model");
    assert_eq!(&*open.name, "spring");
    let selected = file.canvas.selection().single_block().expect("the block is selected");
    assert_eq!(open.block(selected).map(|block| block.title()), Some("k"));
    type_into(&mut harness, "Search the import", "nothing of this name");
    harness.get_by_label("Nothing found");
}

/// Names change, blocks go and come back: the line of a block stays with it.
#[test]
fn a_line_follows_its_block() {
    let mut harness = shown();
    let (id, model) = (id_of(&harness, "lost block"), Arc::clone(&root(&harness).name));
    let (name, value) = (Arc::from("label"), Some(Arc::from("found")));
    apply(&mut harness, Edit::SetBlockAttribute { model: Arc::clone(&model), id, name, value });
    harness.get_by_label("found (lost block), S-Function, placeholder");
    apply(&mut harness, Edit::RenameModel { from: Arc::clone(&model), to: "Other".into() });
    press(&mut harness, "found (lost block), S-Function, placeholder");
    assert_eq!(harness.state().open().canvas.selection().single_block(), Some(id));
    apply(&mut harness, Edit::RemoveBlocks { model: "Other".into(), ids: vec![id] });
    harness.get_by_label("lost block, S-Function, deleted");
    assert!(harness.query_by_label_contains("Replace ").is_none(), "there is nothing to replace");
    undo(&mut harness);
    harness.get_by_label("found (lost block), S-Function, placeholder");
}

#[test]
fn a_line_follows_its_block_into_a_new_subsystem() {
    let mut harness = shown();
    let id = id_of(&harness, "lost block");
    let simulation = Arc::clone(harness.state().open().simulation());
    let model = simulation.root_model().expect("a root");
    let (edits, _) = simulate::model::group(&simulation, model, &[id].into(), "Inner").expect("it is grouped");
    assert!(harness.state_mut().apply(&Change::new("Group", edits)));
    harness.run_ok();
    press(&mut harness, "lost block, S-Function, placeholder");
    let file = harness.state().open();
    assert_eq!(file.canvas.open_model(file.simulation()).map(|model| &*model.name), Some("Inner"));
}

/// The inspector shows what a placeholder was, for the user who completes it, and keeps showing it afterwards.
#[test]
fn the_inspector_shows_the_parameters_in_the_other_program() {
    let mut harness = shown();
    press(&mut harness, "lost block, S-Function, placeholder");
    harness.get_by_label("In Simulink 7.4");
    harness.get_by_label("S-Function, placeholder");
    harness.get_by_label("FunctionName");
    harness.get_by_label("sfun");
    let id = id_of(&harness, "x");
    harness.state_mut().open_mut().canvas.go_to(Vec::new(), Some(id));
    harness.run_ok();
    assert!(harness.query_by_label("In Simulink 7.4").is_none(), "an exact block has nothing to check");
}

#[test]
fn a_placeholder_is_completed_from_its_line() {
    let mut harness = shown();
    let id = id_of(&harness, "lost block");
    let wire = |harness: &Window, input: &str| root(harness).source(id, input).map(|wire| wire.from);
    let source = wire(&harness, "Input 1").expect("it has a wire");
    press(&mut harness, "Replace lost block with…");
    for letter in ["g", "a", "i", "n"] {
        harness.event(eframe::egui::Event::Text(letter.to_owned()));
        harness.run_ok();
    }
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(wire(&harness, "Input"), Some(source), "the wire stays");
    harness.get_by_label("lost block, S-Function, replaced by Gain");
    undo(&mut harness);
    harness.get_by_label("lost block, S-Function, placeholder");
    assert_eq!(wire(&harness, "Input 1"), Some(source));
}

#[test]
fn missing_values_are_typed_and_the_model_can_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = opened(&without_values(folder.path()));
    until(&mut harness, "the check", |app| !app.open().diagnostics.errors().is_empty());
    press(&mut harness, "2 missing values");
    harness.get_by_label("2 of 2 values are missing");
    // Both users of Kp are there; a click leads to one.
    harness.get_by_label("c");
    press(&mut harness, "g");
    let id = id_of(&harness, "g");
    assert_eq!(harness.state().open().canvas.selection().single_block(), Some(id));
    give(&mut harness, "Ki", "3");
    harness.get_by_label("1 of 2 value is missing");
    give(&mut harness, "Kp", "2*Ki");
    assert_eq!((value_of(&harness, "Ki"), value_of(&harness, "Kp")), ("3".to_owned(), "2*Ki".to_owned()));
    until(&mut harness, "the model compiles", |app| app.open().program.is_some());
    harness.run_ok();
    harness.get_by_label("All values are given: the model can run");
    assert_eq!(errors(&harness), 0);
    undo(&mut harness);
    until(&mut harness, "the check", |app| !app.open().diagnostics.errors().is_empty());
    harness.get_by_label("1 of 2 value is missing");
    assert_eq!(value_of(&harness, "Kp"), "");
}

#[test]
fn missing_values_are_read_from_a_script_or_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = opened(&without_values(folder.path()));
    // Beside the model, it would have been read at once.
    let other = tempfile::tempdir().expect("a folder");
    let (script, table) = (other.path().join("setup.m"), other.path().join("b.csv"));
    std::fs::write(&script, "% gains\na = 4;\nKp = 3*a; unused = 1;\nfigure\n").expect("a script");
    std::fs::write(&table, "Ki,0.5\n").expect("a table");
    press(&mut harness, "2 missing values");
    let load = |harness: &mut Window, path: &Path| {
        press(harness, "Load values…");
        assert!(harness.state_mut().choose_path(path.to_owned()), "a file is asked for");
        settle(harness);
    };
    load(&mut harness, &script);
    assert_eq!((value_of(&harness, "Kp"), value_of(&harness, "a")), ("3*a".to_owned(), "4".to_owned()));
    assert!(!harness.state().open().simulation().variables.contains_key("unused"));
    harness.get_by_label("1 of 2 value is missing");
    load(&mut harness, &table);
    assert_eq!(value_of(&harness, "Ki"), "0.5");
    until(&mut harness, "the model compiles", |app| app.open().program.is_some());
    undo(&mut harness);
    assert_eq!(value_of(&harness, "Ki"), "");
    let bad = other.path().join("bad.csv");
    std::fs::write(&bad, "no value\n").expect("a table");
    load(&mut harness, &bad);
    harness.get_by_label_contains("no value: write a name, a comma and a value");
}

/// A saved import has its report when it is opened again.
#[test]
fn a_saved_import_is_opened_with_its_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = opened(&without_values(folder.path()));
    let path = folder.path().join("m.simx");
    harness.state_mut().save_then(None);
    harness.run_ok();
    assert!(harness.state_mut().choose_path(path.clone()), "a file of another program is never written");
    settle(&mut harness);
    let mut again = opened(&path);
    again.get_by_label_contains("4 blocks: 4 exact");
    press(&mut again, "2 missing values");
    again.get_by_label("Value of Ki");

    let mut harness = opened(&loop_model());
    let path = folder.path().join("loop.simx");
    harness.state_mut().save_then(None);
    harness.run_ok();
    assert!(harness.state_mut().choose_path(path.clone()));
    settle(&mut harness);
    let mut again = opened(&path);
    again.get_by_label_contains("6 blocks: 5 exact, 0 approximated, 1 placeholder");
    press(&mut again, "Show");
    press(&mut again, "lost block, S-Function, placeholder");
    assert_eq!(again.state().open().canvas.selection().single_block(), Some(id_of(&again, "lost block")));
    assert!(again.query_by_label("Save as .simx…").is_none(), "it is one");
}

#[test]
fn a_model_of_ones_own_has_an_empty_panel() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().window.layout.show(Panel::Import);
    harness.run_ok();
    harness.get_by_label("This model was not imported");
    assert!(harness.query_by_label_contains("Imported").is_none());
    press(&mut harness, "Coming from Simulink or Xcos");
    harness.get_by_label_contains("Search for the name that you know");
}

/// Only the rows in view are drawn, however long the report is.
#[test]
fn a_long_report_is_drawn_as_far_as_it_is_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.mdl");
    let mut blocks = String::new();
    for number in 0..10_000 {
        let _ = write!(blocks, "Block {{\nBlockType Weird\nName \"b{number}\"\nPosition [10, 10, 40, 40]\n}}\n");
    }
    std::fs::write(&path, text_of(&blocks)).expect("it is written");
    let mut harness = opened(&path);
    press(&mut harness, "Show");
    harness.get_by_label("Placeholders 10000");
    let drawn = harness.query_all_by_label_contains(", Weird, placeholder").count();
    assert!((1..100).contains(&drawn), "{drawn} rows are drawn");
    type_into(&mut harness, "Search the import", "b9999");
    press(&mut harness, "b9999, Weird, placeholder");
    assert_eq!(harness.state().open().canvas.selection().single_block(), Some(id_of(&harness, "b9999")));
}
