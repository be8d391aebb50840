//! Plug-ins in the window, and a window with the blocks, formats and engines of another program.

use std::fs;
use std::path::Path;

use egui_kittest::kittest::Queryable as _;
use simulate::app::Settings;
use simulate::app::action::command::{Command, FileCommand, HelpCommand, RunCommand};
use simulate::app::store::run::RunState;
use simulate::model::{Change, Edit};

use super::{Opened as _, Window, settle, until, window_of, window_with};

const SIMULATION: &str = "<simulation steps='3' delta='0.5' root='M'><model name='M'>\
    <block id='1' group='Var' name='Static'><option name='Value'><value>3</value></option></block>\
    <block id='2' group='Example C' name='Gain'/><exit id='3' name='y'/>\
    <connection from='1' output='Output' to='2' input='u'/><connection from='2' output='y' to='3' input='Input'/>\
    </model></simulation>";

fn opened(home: &Path, file: &Path) -> Window {
    let mut harness = window_with(Settings::load_from(Some(home.to_owned())));
    harness.state_mut().open_path(file);
    settle(&mut harness);
    harness
}

fn codes(harness: &Window) -> Vec<&'static str> {
    harness.state().open().diagnostics.all().iter().map(|diagnostic| diagnostic.code).collect()
}

/// A plug-in beside the simulation is off; its block is drawn with its wires and says so. Switched on in the list, the
/// simulation runs at once, and another window knows it. Switched off again, it does not.
#[test]
fn a_plugin_is_switched_on_and_off_in_the_list() {
    let folder = tempfile::tempdir().expect("a folder");
    let (home, file) = (folder.path().join("home"), folder.path().join("models/a.simx"));
    fs::create_dir_all(folder.path().join("models/plugins")).expect("a folder");
    fs::write(&file, SIMULATION).expect("it is written");
    let bytes = include_bytes!("../samples/plugins/example_c.wasm");
    fs::write(folder.path().join("models/plugins/c.wasm"), bytes).expect("it is written");

    let mut harness = opened(&home, &file);
    until(&mut harness, "the check", |app| !app.open().diagnostics.all().is_empty());
    assert_eq!(codes(&harness), ["plugin-off"]);
    harness.state_mut().dispatch(Command::Help(HelpCommand::Plugins));
    harness.run_ok();
    harness.get_by_label("Author: The Simulate authors");
    harness.get_by_label("Licence: MIT OR Apache-2.0");
    harness.get_by_label("Blocks: Gain, Lag");
    harness.get_by_label("Example C 1.0.0").click();
    harness.run_ok();
    until(&mut harness, "the check", |app| app.open().diagnostics.all().is_empty());
    harness.get_by_label("Close").click();
    harness.run_ok();
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished || app.has_dialog());
    assert_eq!(harness.state().open().run.state, RunState::Finished);
    // The block's own row, in edits too.
    let set = Edit::SetOption {
        model: "M".into(),
        id: simulate::model::BlockId(2),
        name: "k".into(),
        values: Some(vec!["5".to_owned()]),
    };
    assert!(harness.state_mut().apply(&Change::one("Set k", set)));
    drop(harness);

    let mut harness = opened(&home, &file);
    harness.run_ok();
    assert_eq!(codes(&harness), [""; 0]);
    harness.state_mut().dispatch(Command::Help(HelpCommand::Plugins));
    harness.run_ok();
    harness.get_by_label("Example C 1.0.0").click();
    harness.run_ok();
    until(&mut harness, "the check", |app| !app.open().diagnostics.all().is_empty());
    assert_eq!(codes(&harness), ["plugin-off"]);
    assert_eq!(fs::read_to_string(&file).expect("it is there"), SIMULATION, "the file knows nothing of it");
}

/// A broken plug-in is listed with what is wrong, and cannot be switched on.
#[test]
fn a_broken_plugin_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("home");
    fs::create_dir_all(home.join("plugins")).expect("a folder");
    fs::write(home.join("plugins/cut.wasm"), b"\0asm\x01").expect("it is written");
    let mut harness = window_with(Settings::load_from(Some(home.clone())));
    harness.state_mut().dispatch(Command::Help(HelpCommand::Plugins));
    harness.run_ok();
    harness.get_by_label_contains("This is not a WebAssembly module");
    harness.get_by_label("cut").click();
    harness.run_ok();
    assert!(!home.join("plugins.json").exists());
}

/// The window of another program opens its format, runs its block on its engine, and saves in its format.
#[test]
fn a_window_of_another_program_knows_what_it_adds() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cube.simsh");
    let text = "#!/usr/bin/env -S simulate run\n<simulation steps='2' root='M'><model name='M'>\
        <block id='1' group='Var' name='Static'><option name='Value'><value>3</value></option></block>\
        <block id='2' group='Foreign' name='Cube'/><exit id='3' name='y'/>\
        <connection from='1' output='Output' to='2' input='Input'/>\
        <connection from='2' output='Output' to='3' input='Input'/></model></simulation>";
    fs::write(&file, text).expect("it is written");
    let settings = Settings { engine: "counting".to_owned(), ..Settings::default() };
    let mut harness = window_of(settings, &foreign::components().expect("they are new"));
    harness.state_mut().open_path(&file);
    settle(&mut harness);
    assert_eq!(codes(&harness), [""; 0]);
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished || app.has_dialog());
    assert_eq!(harness.state().open().run.state, RunState::Finished);
    assert_eq!(harness.state().open().run.engine, "counting");
    assert!(harness.state_mut().apply(&Change::one("Set steps", Edit::SetSteps(7))));
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    settle(&mut harness);
    let saved = fs::read_to_string(&file).expect("it is there");
    assert!(saved.starts_with("#!/usr/bin/env -S simulate run\n") && saved.contains("steps=\"7\""), "{saved}");
}
