//! FMUs in the window: dropped, run, and asked for before their code runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;
use egui_kittest::kittest::Queryable as _;
use simulate::app::Settings;
use simulate::app::action::command::{Command, EditCommand, RunCommand};
use simulate::app::store::run::RunState;
use simulate::format::Formats;
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use super::editing::{select, type_into};
use super::{Dropped, Opened as _, Window, gain_chain, settle, until, window_with};

fn settings(home: &Path) -> Settings {
    let worker = Some(PathBuf::from(env!("CARGO_BIN_EXE_simulate")));
    Settings { worker, ..Settings::load_from(Some(home.to_owned())) }
}

/// A folder with `models`, in which there is an FMU, and a place for settings.
fn folder(fmu: &str) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (home, models) = (folder.path().join("settings"), folder.path().join("models"));
    fs::create_dir(&models).expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/fmus").join(fmu);
    fs::copy(source, models.join("model.fmu")).expect("a copy");
    (folder, home, models)
}

fn opened(home: &Path, models: &Path, simulation: &Simulation) -> Window {
    let path = models.join("a.simx");
    Formats::standard().save(&path, simulation).expect("it is written");
    let mut harness = window_with(settings(home));
    harness.state_mut().open_path(&path);
    settle(&mut harness);
    harness
}

fn run(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(harness, "an answer", |app| {
        app.has_dialog() || matches!(app.open().run.state, RunState::Finished | RunState::PausedByError(_))
    });
    harness.run_ok();
}

/// The gain chain, whose gain feeds an FMU with the input u and the output y.
fn with_fmu(options: &[(&str, &str)]) -> Simulation {
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    let block = Block::new(BlockId(9), BlockKind::library("User", "FMU")).at(240.0, 100.0);
    let all = [("File", "model.fmu"), ("Inputs", "u"), ("Outputs", "y")];
    let block = all.iter().chain(options).fold(block, |block, (name, value)| block.with_option(name, &[value]));
    model.add_block(block);
    model.add_block(Block::new(BlockId(10), BlockKind::exit("Foreign")).at(360.0, 100.0));
    model.connect(Connection::new(BlockId(1), "Output", BlockId(9), "u"));
    model.connect(Connection::new(BlockId(9), "y", BlockId(10), "Input"));
    simulation
}

#[test]
fn a_dropped_fmu_becomes_a_block_with_its_ports_and_parameters_and_runs() {
    let (_folder, home, models) = folder("Lag.fmi3.fmu");
    let mut harness = opened(&home, &models, &gain_chain());
    harness.input_mut().dropped_files.push(Arc::new(Dropped(models.join("model.fmu"))));
    let has_block = |app: &simulate::app::App| {
        let model = app.open().simulation().model("Main").expect("the root");
        model.blocks.values().any(|block| matches!(&block.kind, BlockKind::Library { name, .. } if &**name == "FMU"))
    };
    harness.step();
    until(&mut harness, "the block", |app| has_block(app) || app.has_dialog());
    let model = harness.state().open().simulation().model("Main").expect("the root").clone();
    let block =
        model.blocks.values().find(|block| !block.option_texts("File").unwrap_or_default().is_empty()).expect("it");
    let option = |name: &str| block.option_texts(name).unwrap_or_default().join("|");
    assert_eq!(option("File"), "model.fmu");
    assert_eq!((option("Inputs"), option("Outputs")), ("u".to_owned(), "y".to_owned()));
    assert_eq!(option("Parameters"), "k = 2; T = 0.5");
    // Who drops a file allows its code: the run does not ask.
    run(&mut harness);
    assert!(!harness.state().has_dialog());
    assert_eq!(harness.state().open().run.state, RunState::Finished);
}

#[test]
fn the_code_of_an_fmu_in_a_file_is_asked_for_once() {
    let (_folder, home, models) = folder("Lag.fmi2.fmu");
    let mut harness = opened(&home, &models, &with_fmu(&[]));
    run(&mut harness);
    assert!(harness.state().open().run.last_step().is_none(), "nothing has run");
    harness.get_by_label("Cancel").click();
    harness.run_ok();
    run(&mut harness);
    harness.get_by_label("Allow and run").click();
    harness.run_ok();
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished || app.has_dialog());
    assert_eq!(harness.state().open().run.state, RunState::Finished);
    drop(harness);
    // Another window, and another simulation with the same FMU.
    let mut harness = opened(&home, &models, &with_fmu(&[("Time Limit", "3")]));
    run(&mut harness);
    assert!(!harness.state().has_dialog());
    assert_eq!(harness.state().open().run.state, RunState::Finished);
    drop(harness);
    // Another FMU under the name is another question.
    let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/fmus/Lag.fmi3.fmu");
    fs::copy(other, models.join("model.fmu")).expect("a copy");
    let mut harness = opened(&home, &models, &with_fmu(&[]));
    run(&mut harness);
    assert!(harness.query_by_label("Allow and run").is_some());
}

/// A run whose FMU crashes ends with the block named; the window lives on, and the next run works.
#[test]
fn a_crash_of_an_fmu_ends_the_run_only() {
    let (_folder, home, models) = folder("Evil.fmi2.fmu");
    let mut harness = opened(&home, &models, &with_fmu(&[("Parameters", "mode = 2")]));
    run(&mut harness);
    harness.get_by_label("Allow and run").click();
    harness.run_ok();
    until(&mut harness, "the end", |app| {
        matches!(app.open().run.state, RunState::PausedByError(_) | RunState::Failed(_))
    });
    harness.run_ok();
    let message = harness.state().window.message.as_ref().map(|message| message.text.clone()).unwrap_or_default();
    assert!(message.contains("FMU"), "{message}");
}

fn set_field(harness: &mut Window, label: &str, text: &str) {
    type_into(harness, label, text);
    harness.key_press(egui::Key::Enter);
    harness.run_ok();
}

/// The parameters of an FMU are rows with its names, and its ports can be renewed.
#[test]
fn parameters_and_ports_of_an_fmu_are_set_by_their_names() {
    let (_folder, home, models) = folder("Lag.fmi3.fmu");
    let mut harness = opened(&home, &models, &with_fmu(&[("Parameters", "T = 1/4"), ("Outputs", "other")]));
    select(&mut harness, &[9]);
    // The check in the background reads the FMU.
    let deadline = Instant::now() + Duration::from_secs(60);
    while harness.query_by_label("Renew ports").is_none() {
        assert!(Instant::now() < deadline, "the FMU is not described");
        std::thread::sleep(Duration::from_millis(10));
        harness.run_ok();
    }
    let option = |harness: &Window, name: &str| {
        let model = harness.state().open().simulation().model("Main").expect("the root");
        model.block(BlockId(9)).expect("it").option_texts(name).unwrap_or_default().join("|")
    };
    set_field(&mut harness, "k", "3 + 1");
    assert_eq!(option(&harness, "Parameters"), "T = 1/4; k = 3 + 1");
    set_field(&mut harness, "T", "");
    assert_eq!(option(&harness, "Parameters"), "k = 3 + 1");
    // What is no expression is kept, and said; two values are not.
    set_field(&mut harness, "k", "3 +");
    assert_eq!(option(&harness, "Parameters"), "k = 3 +");
    set_field(&mut harness, "k", "3; T = 4");
    assert_eq!(option(&harness, "Parameters"), "k = 3 +");
    harness.get_by_label("Reset k").click_accesskit();
    harness.run_ok();
    assert_eq!(option(&harness, "Parameters"), "");
    harness.get_by_label("Renew ports").click_accesskit();
    harness.run_ok();
    assert_eq!((option(&harness, "Inputs"), option(&harness, "Outputs")), ("u".to_owned(), "y".to_owned()));
    assert!(harness.query_by_label("Renew ports").is_none());
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(option(&harness, "Outputs"), "other");
}

/// Stop is heard while an FMU does not answer, long before its time limit.
#[test]
fn stop_ends_a_call_of_an_fmu() {
    let (_folder, home, models) = folder("Evil.fmi3.fmu");
    let options = [("Parameters", "mode = 1"), ("Time Limit", "300")];
    let mut harness = opened(&home, &models, &with_fmu(&options));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the question", |app| app.has_dialog());
    harness.run_ok();
    harness.get_by_label("Allow and run").click();
    harness.run_ok();
    until(&mut harness, "the run", |app| app.open().run.state == RunState::Running);
    // It is at the point where it hangs.
    std::thread::sleep(Duration::from_secs(2));
    harness.step();
    assert_eq!(harness.state().open().run.state, RunState::Running);
    let start = Instant::now();
    harness.state_mut().dispatch(Command::Run(RunCommand::Stop));
    until(&mut harness, "the stop", |app| app.open().run.state != RunState::Running);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert_eq!(harness.state().open().run.state, RunState::Stopped);
    let said = harness
        .state()
        .window
        .message
        .as_ref()
        .filter(|message| message.is_problem)
        .map(|message| message.text.clone());
    assert_eq!(said, None);
}
