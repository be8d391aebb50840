//! Files outside the simulation's folder: refused, asked for once, remembered for that simulation alone.

use std::fs;
use std::path::Path;

use egui_kittest::kittest::Queryable as _;
use simulate::app::Settings;
use simulate::app::action::command::{Command, Panel, RunCommand, ViewCommand};
use simulate::app::panels::sweep::Row;
use simulate::app::store::run::RunState;
use simulate::block::Registry;
use simulate::format::{Formats, Library};
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, CopiedModel, Simulation, copy_model};

use super::{Opened as _, Window, gain_chain, settle, until, window_with};

/// The gain chain, beside it a block with the file in its parameter `File`.
fn with_file(kind: BlockKind, file: &str) -> Simulation {
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    let reads = matches!(&kind, BlockKind::Library { name, .. } if &**name == "From File");
    model.add_block(Block::new(BlockId(9), kind).with_option("File", &[file]).at(0.0, 100.0));
    match reads {
        true => model.connect(Connection::new(BlockId(9), "Output", BlockId(10), "Input")),
        false => model.connect(Connection::new(BlockId(1), "Output", BlockId(9), "Input 1")),
    };
    if reads {
        model.add_block(Block::new(BlockId(10), BlockKind::exit("Read")).at(120.0, 100.0));
    }
    simulation
}

fn opened(home: &Path, path: &Path) -> Window {
    let mut harness = window_with(Settings::load_from(Some(home.to_owned())));
    harness.state_mut().open_path(path);
    settle(&mut harness);
    harness
}

fn run(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(harness, "an answer", |app| app.has_dialog() || app.open().run.state == RunState::Finished);
    harness.run_ok();
}

const ALLOW: &str = "Allow this folder for this file";

#[test]
fn a_file_outside_the_folder_is_asked_for_once_and_for_one_simulation() {
    let folder = tempfile::tempdir().expect("a folder");
    let (home, inner) = (folder.path().join("settings"), folder.path().join("models"));
    fs::create_dir(&inner).expect("a folder");
    fs::write(folder.path().join("outside.csv"), "time,u\n0,1\n10,1\n").expect("it is written");
    let cases = [("Var", "From File", "../outside.csv", None), ("Sink", "To File", "../out.csv", Some("out.csv"))];
    for (group, block, file, gives) in cases {
        let paths = ["a.simx", "b.simx"].map(|name| inner.join(name));
        let simulation = with_file(BlockKind::library(group, block), file);
        paths.iter().for_each(|path| Formats::standard().save(path, &simulation).expect("it is written"));
        let before = fs::read(&paths[0]).expect("it is there");

        let mut harness = opened(&home, &paths[0]);
        run(&mut harness);
        assert!(harness.state().open().run.last_step().is_none(), "{block} is refused");
        harness.get_by_label("Cancel").click();
        harness.run_ok();
        assert!(!harness.state().has_dialog());
        run(&mut harness);
        harness.get_by_label(ALLOW).click();
        harness.run_ok();
        until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished || app.has_dialog());
        assert_eq!(harness.state().open().run.state, RunState::Finished, "{block} is allowed");
        settle(&mut harness);
        let settings = fs::read_to_string(home.join("settings.json")).expect("settings were written");
        assert!(Settings::load_from(Some(home.clone())).allowed.contains_key(&paths[0]), "{settings}");
        assert_eq!(fs::read(&paths[0]).expect("it is there"), before, "the file knows nothing of it");
        drop(harness);
        if let Some(name) = gives {
            assert!(folder.path().join(name).is_file(), "{block}");
        }

        // Another window of the same user asks no more, but does for another simulation.
        let mut harness = opened(&home, &paths[0]);
        run(&mut harness);
        assert_eq!(harness.state().open().run.state, RunState::Finished, "{block} is allowed from now on");
        let mut harness = opened(&home, &paths[1]);
        run(&mut harness);
        harness.get_by_label(ALLOW);
        assert!(harness.state().open().run.last_step().is_none(), "{block} of another simulation is refused");
        // The next round begins anew.
        fs::remove_file(home.join("settings.json")).expect("settings were written");
    }
}

#[test]
fn what_may_be_read_may_not_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (home, inner) = (folder.path().join("settings"), folder.path().join("models"));
    fs::create_dir(&inner).expect("a folder");
    fs::write(folder.path().join("outside.csv"), "time,u\n0,1\n10,1\n").expect("it is written");
    let path = inner.join("a.simx");
    Formats::standard()
        .save(&path, &with_file(BlockKind::library("Var", "From File"), "../outside.csv"))
        .expect("saved");
    let mut harness = opened(&home, &path);
    run(&mut harness);
    harness.get_by_label(ALLOW).click();
    harness.run_ok();
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished);
    drop(harness);
    Formats::standard().save(&path, &with_file(BlockKind::library("Sink", "To File"), "../out.csv")).expect("saved");
    let mut harness = opened(&home, &path);
    run(&mut harness);
    harness.get_by_label(ALLOW);
    assert!(!folder.path().join("out.csv").exists());
}

/// A document without a file reads from the working folder, which is the one of the tests.
#[test]
fn a_document_without_a_file_is_asked_for_too_and_the_permission_ends_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("outside.csv");
    fs::write(&file, "time,u\n0,1\n10,1\n").expect("it is written");
    let home = folder.path().join("settings");
    let mut harness = window_with(Settings::load_from(Some(home.clone())));
    let simulation = with_file(BlockKind::library("Var", "From File"), &file.display().to_string());
    super::show(&mut harness, simulation.clone());
    run(&mut harness);
    harness.get_by_label_contains("This holds until the simulation is saved or closed");
    harness.get_by_label(ALLOW).click();
    harness.run_ok();
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished || app.has_dialog());
    assert_eq!(harness.state().open().run.state, RunState::Finished);
    settle(&mut harness);
    assert!(Settings::load_from(Some(home)).allowed.is_empty(), "nothing is remembered");
    // The next one is asked for again.
    super::show(&mut harness, simulation);
    run(&mut harness);
    harness.get_by_label(ALLOW);
    assert!(harness.state().open().run.last_step().is_none());
}

#[test]
fn a_sweep_that_uses_a_file_outside_is_asked_for_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let (home, inner) = (folder.path().join("settings"), folder.path().join("models"));
    fs::create_dir(&inner).expect("a folder");
    fs::write(folder.path().join("outside.csv"), "time,u\n0,1\n10,1\n").expect("it is written");
    let path = inner.join("a.simx");
    let simulation = with_file(BlockKind::library("Var", "From File"), "../outside.csv");
    Formats::standard().save(&path, &simulation).expect("it is written");
    let mut harness = opened(&home, &path);
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    let rows = &mut harness.state_mut().open_mut().panels.sweep.rows;
    rows.push(Row::range("#1.Gain", 1.0, 2.0, 2));
    harness.run_ok();
    harness.get_by_label("Run all 2").click();
    harness.run_ok();
    until(&mut harness, "the question", simulate::app::App::has_dialog);
    harness.run_ok();
    harness.get_by_label(ALLOW).click();
    harness.run_ok();
    until(&mut harness, "the runs", |app| {
        app.open().lab.ensemble.as_ref().is_some_and(|sweep| sweep.curves.len() == 2)
    });
    assert!(!harness.state().has_dialog());
}

/// A model that comes from a library writes nothing that another one may not, and a path in it is relative to the folder
/// of the simulation, not of the library.
#[test]
fn a_model_of_a_library_is_asked_for_like_any_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let [home, inner, tools] = ["settings", "models", "more/tools"].map(|name| folder.path().join(name));
    fs::create_dir(&inner).expect("a folder");
    fs::create_dir_all(&tools).expect("a folder");
    let mut library = Simulation::new("Logger");
    let model = library.model_mut("Logger").expect("the root");
    model.add_block(Block::new(BlockId(0), BlockKind::entry("u")));
    let writes = Block::new(BlockId(1), BlockKind::library("Sink", "To File"));
    model.add_block(writes.with_option("File", &["../out.csv"]));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input 1"));
    Formats::standard().save(&tools.join("log.simx"), &library).expect("it is written");

    let library = Library::load(&tools, &Formats::standard());
    let item = library.items.first().expect("the model");
    let CopiedModel { edits, name, .. } = copy_model(&item.simulation, &item.name, &gain_chain()).expect("it is there");
    let mut simulation =
        Change::new("Insert", edits).applied(&gain_chain(), &Registry::standard()).expect("it can be inserted");
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(9), BlockKind::model(&name)).at(0.0, 100.0));
    model.connect(Connection::new(BlockId(1), "Output", BlockId(9), "u"));
    let path = inner.join("a.simx");
    Formats::standard().save(&path, &simulation).expect("it is written");

    let mut harness = opened(&home, &path);
    run(&mut harness);
    assert!(harness.state().open().run.last_step().is_none(), "it is refused");
    assert!(harness.query_all_by_label_contains("out.csv").next().is_some(), "the question names the file");
    let written = || ["out.csv", "more/out.csv", "models/out.csv"].map(|name| folder.path().join(name).exists());
    assert_eq!(written(), [false; 3]);
    harness.get_by_label(ALLOW).click();
    harness.run_ok();
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished || app.has_dialog());
    assert_eq!(harness.state().open().run.state, RunState::Finished);
    settle(&mut harness);
    drop(harness);
    assert_eq!(written(), [true, false, false]);
}
