use eframe::egui::{Key, vec2};
use egui_kittest::kittest::Queryable as _;
use simulate::app::App;
use simulate::app::action::command::{Command, EditCommand, RunCommand, ViewCommand};
use simulate::app::canvas::Selection;
use simulate::app::store::run::RunState;
use simulate::model::{BlockId, Change, Edit, SignalKey};

use super::{Opened as _, gain_chain, gain_of, show, until, window};

#[test]
fn run_records_the_exits_without_being_told_to() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.get_by_label("Run simulation").click();
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    let app = harness.state();
    let columns = app.open().run.recording().columns(&SignalKey::new(&[], BlockId(2), "Input"));
    assert_eq!(columns.first().map(|column| column.len()), Some(50));
    assert_eq!(columns.first().and_then(|column| column.last()), Some(6.0));
    harness.run_ok();
    harness.get_by_label("Curve Result");
}

#[test]
fn plotting_a_signal_is_remembered_in_the_document() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    harness.state_mut().plot(std::slice::from_ref(&signal));
    harness.run_ok();
    let list = |app: &simulate::app::App| app.file.as_ref().map(|file| file.derived.plots().clone()).expect("a file");
    assert!(list(harness.state()).contains(&signal));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert!(!list(harness.state()).contains(&signal));
}

#[test]
fn one_step_at_a_time() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the first step", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 1
    });
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the second step", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 2
    });
    harness.state_mut().dispatch(Command::Run(RunCommand::Stop));
    until(&mut harness, "the stop", |app| app.open().run.state == RunState::Stopped);
}

#[test]
fn what_cannot_run_says_why() {
    let mut harness = window();
    let simulation = gain_chain();
    show(&mut harness, simulation);
    let edit = Edit::SetOption {
        model: "Main".into(),
        id: BlockId(1),
        name: "Gain".into(),
        values: Some(vec!["much".to_owned()]),
    };
    assert!(harness.state_mut().apply(&Change::one("Spoil", edit)));
    harness.get_by_label("Run simulation").click();
    until(&mut harness, "the refusal", |app| app.open().panels.problems.selected.is_some());
    assert_eq!(harness.state().open().run.state, RunState::Idle);
    let selected = harness.state().open().panels.problems.selected.clone();
    assert_eq!(selected.and_then(|found| found.location.block), Some(BlockId(1)));
}

#[test]
fn only_what_changes_the_result_makes_a_run_old() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    let position = simulate::model::Position { x: 50.0, y: 50.0 };
    let edit = Edit::Move { model: "Main".into(), moves: vec![(BlockId(1), position)] };
    assert!(harness.state_mut().apply(&Change::one("Move", edit)));
    assert!(!harness.state().open().run.is_stale);
    assert!(harness.state_mut().apply(&Change::one("Set steps", Edit::SetSteps(51))));
    assert!(harness.state().open().run.is_stale);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert!(!harness.state().open().run.is_stale);
}

/// An integrator behind a gain of 2: 0, 0.2, 0.4, … where the source is 1.
fn ramp() -> simulate::model::Simulation {
    use simulate::model::{Block, BlockKind, Connection, Model, Simulation};
    let mut model = Model::new("Main");
    let source = Block::new(BlockId(0), BlockKind::library("Var", "Static")).with_option("Value", &["1"]);
    let gain = Block::new(BlockId(1), BlockKind::library("Math", "Gain")).with_option("Gain", &["2"]);
    model.add_block(source.at(0.0, 0.0));
    model.add_block(gain.at(120.0, 0.0));
    model.add_block(Block::new(BlockId(2), BlockKind::library("Math", "Integrate")).at(240.0, 0.0));
    model.add_block(Block::new(BlockId(3), BlockKind::exit("Result")).at(360.0, 0.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    model.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    model.connect(Connection::new(BlockId(2), "Output", BlockId(3), "Input"));
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta, simulation.root) = (50, 0.1, "Main".into());
    simulation.add_model(model);
    simulation
}

fn key(block: u64, port: &str) -> SignalKey {
    SignalKey::new(&[], BlockId(block.into()), port)
}

fn set_gain(harness: &mut super::Window, gain: &str) {
    let (model, name) = ("Main".into(), "Gain".into());
    let edit = Edit::SetOption { model, id: BlockId(1), name, values: Some(vec![gain.to_owned()]) };
    assert!(harness.state_mut().apply(&Change::one("Set the gain", edit)));
}

fn recorded(app: &simulate::app::App) -> Vec<f64> {
    app.open()
        .run
        .recording()
        .columns(&key(3, "Input"))
        .first()
        .map(|column| column.values().to_vec())
        .unwrap_or_default()
}

fn assert_near(value: Option<Vec<f64>>, want: f64) {
    let value = value.and_then(|lanes| lanes.first().copied()).expect("there is a value");
    assert!((value - want).abs() < 1e-9, "{value} is not {want}");
}

#[test]
fn a_chosen_step_shows_its_values_on_every_wire_and_loses_no_samples() {
    let mut harness = window();
    show(&mut harness, ramp());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.state_mut().go_to_step(20);
    until(&mut harness, "the values of step 20", |app| app.open().run.seen().is_some_and(|view| view.step == 20));
    let app = harness.state();
    assert_eq!(app.open().run.chosen_step(), Some(20));
    // What is recorded, and what is not.
    assert_near(app.open().run.value(&key(3, "Input")), 4.0);
    assert_near(app.open().run.value(&key(2, "Output")), 4.0);
    assert_near(app.open().run.value(&key(1, "Output")), 2.0);
    assert_eq!(recorded(app).len(), 50);
    harness.state_mut().dispatch(Command::Run(RunCommand::StepBack));
    until(&mut harness, "the step before", |app| app.open().run.seen().is_some_and(|view| view.step == 19));
    assert_near(harness.state().open().run.value(&key(2, "Output")), 3.8);
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    assert_eq!(harness.state().open().run.chosen_step(), Some(20));
    harness.state_mut().dispatch(Command::Run(RunCommand::FollowRun));
    assert_eq!(harness.state().open().run.chosen_step(), None);
    assert_near(harness.state().open().run.value(&key(3, "Input")), 9.8);
    assert_eq!(recorded(harness.state()).len(), 50);
}

#[test]
fn runs_are_kept_shown_and_left_out() {
    let mut harness = window();
    show(&mut harness, ramp());
    for gain in ["2", "3"] {
        set_gain(&mut harness, gain);
        harness.state_mut().dispatch(Command::Run(RunCommand::Run));
        until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    }
    let names: Vec<String> = harness.state().open().run.runs().iter().map(|run| run.name.clone()).collect();
    assert_eq!(names, ["Run 1", "Run 2"]);
    assert_eq!(harness.state().open().run.runs().ghost().map(|run| run.number), Some(1));
    assert_near(harness.state().open().run.value(&key(3, "Input")), 14.7);
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(simulate::app::action::command::Panel::Runs)));
    harness.run_ok();
    harness.get_by_label("Show Run 1").click();
    harness.run_ok();
    assert_near(harness.state().open().run.value(&key(3, "Input")), 9.8);
    harness.get_by_label("Overlay Run 2").click();
    harness.run_ok();
    let beside: Vec<u64> = harness.state().open().run.runs().overlays().map(|run| run.number).collect();
    assert_eq!(beside, [2]);
    harness.state_mut().open_mut().run.remove(1);
    assert_eq!(harness.state().open().run.runs().current().map(|run| run.number), Some(2));
}

#[test]
fn a_parameter_acts_in_the_run_that_goes_on_and_undo_acts_too() {
    let mut harness = window();
    show(&mut harness, ramp());
    // What is typed beyond the end of what is done is run to.
    harness.state_mut().go_to_step(9);
    until(&mut harness, "ten steps", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 10
    });
    set_gain(&mut harness, "5");
    let changes = |app: &simulate::app::App| app.open().run.runs().current().map_or(0, |run| run.changes.len());
    until(&mut harness, "the change", |app| changes(app) == 1);
    assert!(!harness.state().open().run.is_stale);
    harness.state_mut().go_to_step(19);
    until(&mut harness, "twenty steps", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 20
    });
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    until(&mut harness, "the undo", |app| changes(app) == 2);
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    let first = recorded(harness.state());
    // Ten steps of 0.2, ten of 0.5, the rest of 0.2 again; the last sample has 49 steps behind it.
    let want = 10.0 * 0.2 + 10.0 * 0.5 + 29.0 * 0.2;
    assert!((first.last().expect("samples") - want).abs() < 1e-9, "{first:?}");
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(simulate::app::action::command::Panel::Runs)));
    harness.run_ok();
    harness.get_by_label("Repeat with these changes").click();
    until(&mut harness, "the second run", |app| {
        app.open().run.runs().len() == 2 && app.open().run.state == RunState::Finished
    });
    assert_eq!(recorded(harness.state()), first);
}

#[test]
fn a_branch_runs_on_beside_the_first_with_the_documents_values() {
    let mut harness = window();
    show(&mut harness, ramp());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.state_mut().go_to_step(30);
    set_gain(&mut harness, "-2");
    until(&mut harness, "the check", |app| app.file.as_ref().is_some_and(|file| file.program.is_some()));
    harness.run_ok();
    harness.state_mut().dispatch(Command::Run(RunCommand::Branch));
    until(&mut harness, "the branch", |app| app.open().run.state == RunState::Paused);
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the branch", |app| app.open().run.state == RunState::Finished);
    let app = harness.state();
    let branch = app.open().run.runs().current().expect("the branch");
    assert_eq!((branch.number, branch.branched), (2, Some((1, 30))));
    assert!(app.open().run.runs().is_overlay(1));
    assert_near(app.open().run.value(&key(3, "Input")), 6.0 - 19.0 * 0.2);
    let first = app.open().run.runs().get(1).expect("the first run").recording.columns(&key(3, "Input"));
    assert_eq!(first.first().map(|column| column.len()), Some(50));
    // The branch has what was before it, too.
    let values = recorded(app);
    assert_eq!(values.len(), 50);
    assert!((0..50).all(|step| {
        (values[step] - if step <= 30 { 0.2 * step as f64 } else { 6.0 - 0.2 * (step - 30) as f64 }).abs() < 1e-9
    }));
}

#[test]
fn a_breakpoint_of_a_wire_is_kept_in_the_document_and_pauses_the_run() {
    use simulate::app::doc::breakpoints::{OnWire, set};
    let mut harness = window();
    show(&mut harness, ramp());
    let on = OnWire::parse("> 3.9").expect("a condition");
    let change = set(&"Main".into(), (BlockId(3), &"Input".into()), Some(&on));
    assert!(harness.state_mut().apply(&change));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the pause", |app| app.open().run.state == RunState::Paused);
    // The step whose value is 4 is done.
    assert_eq!(harness.state().open().run.progress.step, 21);
    assert!(harness.state().window.message.as_ref().is_some_and(|message| message.text.contains("> 3.9")));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
}

#[test]
fn a_wire_that_is_cut_while_the_run_goes_on_acts_at_once_and_undo_too() {
    let mut harness = window();
    show(&mut harness, ramp());
    harness.state_mut().dispatch(Command::Run(RunCommand::ToggleLiveEdits));
    harness.state_mut().go_to_step(9);
    until(&mut harness, "ten steps", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 10
    });
    let rate = SignalKey::new(&[], BlockId(9), "Output");
    let block = simulate::model::Block::new(BlockId(9), simulate::model::BlockKind::library("Var", "Static"));
    let block = block.with_option("Value", &["-1"]).at(0.0, 90.0);
    let connection = simulate::model::Connection::new(BlockId(9), "Output", BlockId(2), "Input");
    let edits = vec![
        Edit::AddBlock { model: "Main".into(), block: Box::new(block) },
        Edit::Connect { model: "Main".into(), connection: Box::new(connection) },
    ];
    assert!(harness.state_mut().apply(&Change::new("Feed something else", edits)));
    let edits = |app: &simulate::app::App| app.open().run.runs().current().map_or(0, |run| run.edits.len());
    until(&mut harness, "the edit", |app| edits(app) == 1);
    harness.state_mut().go_to_step(19);
    until(&mut harness, "twenty steps", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 20
    });
    // Ten steps of 0.2, then down by 0.1 a step.
    assert_near(harness.state().open().run.value(&key(3, "Input")), 2.0 - 0.9);
    harness
        .state_mut()
        .dispatch(Command::Diagram(simulate::app::action::diagram_command::DiagramCommand::ToggleValues));
    until(&mut harness, "the new block's value", |app| app.open().run.value(&rate).is_some());
    assert!(!harness.state().open().run.is_stale);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    until(&mut harness, "the undo", |app| edits(app) == 2);
    harness.state_mut().go_to_step(29);
    until(&mut harness, "thirty steps", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 30
    });
    assert_near(harness.state().open().run.value(&key(3, "Input")), 1.0 + 9.0 * 0.2);
    // Before the edits the run is what it was.
    harness.state_mut().go_to_step(5);
    until(&mut harness, "step 5", |app| app.open().run.seen().is_some_and(|view| view.step == 5));
    assert_near(harness.state().open().run.value(&key(2, "Output")), 1.0);
}

#[test]
fn breakpoints_are_listed_switched_and_edited() {
    use simulate::app::doc::breakpoints::{OnWire, set};
    let mut harness = window();
    show(&mut harness, ramp());
    let on = OnWire::parse("changes").expect("a condition");
    assert!(harness.state_mut().apply(&set(&"Main".into(), (BlockId(3), &"Input".into()), Some(&on))));
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(simulate::app::action::command::Panel::Runs)));
    harness.run_ok();
    let listed = |harness: &super::Window| -> Vec<String> {
        harness.state().open().derived.breakpoints().iter().map(|(_, point)| point.on.text()).collect()
    };
    harness.get_by_label("Breakpoint at Integrate #2 · Output").click();
    harness.run_ok();
    assert_eq!(listed(&harness), ["off changes"]);
    harness.get_by_label("Condition at Integrate #2 · Output").click();
    harness.run_ok();
    harness.key_press_modifiers(eframe::egui::Modifiers::COMMAND, eframe::egui::Key::A);
    harness.get_by_label("Condition at Integrate #2 · Output").type_text("< -3");
    harness.key_press(eframe::egui::Key::Enter);
    harness.run_ok();
    assert_eq!(listed(&harness), ["off < -3"]);
    harness.get_by_label("Remove breakpoint at Integrate #2 · Output").click();
    harness.run_ok();
    assert!(listed(&harness).is_empty());
}

#[test]
fn a_signal_that_is_plotted_behind_the_run_gets_its_samples() {
    let mut harness = window();
    show(&mut harness, ramp());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    let gain = key(1, "Output");
    harness.state_mut().plot(std::slice::from_ref(&gain));
    let samples =
        |app: &simulate::app::App| app.open().run.recording().columns(&key(1, "Output")).first().map_or(0, |c| c.len());
    until(&mut harness, "the samples", |app| samples(app) == 50);
    let column = harness.state().open().run.recording().columns(&gain).first().cloned().expect("a lane");
    assert!((0..50).all(|step| column.at_step(step) == Some(2.0)));
    // What was there is there once.
    assert_eq!(recorded(harness.state()).len(), 50);
}

#[test]
fn a_saved_run_is_opened_beside_the_current_one_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("first.simrun");
    let mut harness = window();
    show(&mut harness, ramp());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.state_mut().open_mut().run.runs_mut().rename(1, "Cold");
    harness.state_mut().dispatch(Command::Run(RunCommand::SaveRun));
    assert!(harness.state_mut().choose_path(path.clone()));
    let says =
        |app: &simulate::app::App, text: &str| app.window.message.as_ref().is_some_and(|said| said.text.contains(text));
    until(&mut harness, "the file", |app| says(app, "Wrote the run"));
    // Another document with other values; the samples of the run come with it.
    show(&mut harness, ramp());
    set_gain(&mut harness, "2.5");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.state_mut().dispatch(Command::Run(RunCommand::OpenRun));
    assert!(harness.state_mut().choose_path(path));
    until(&mut harness, "the run from the file", |app| app.open().run.runs().len() == 2);
    let app = harness.state();
    let opened = app.open().run.runs().get(2).expect("the second");
    assert_eq!((&*opened.name, opened.steps, opened.state.clone()), ("Cold", 50, RunState::Finished));
    assert!(app.open().run.runs().is_overlay(2));
    harness.run_ok();
    harness.get_by_label("Compare runs…").click();
    // 0.05 a step: 2.45 at the end; without a tolerance but for rounding from the second step on.
    for _ in 0..2000 {
        harness.run_ok();
        if harness.query_all_by_label_contains("Result · Cold out of tolerance 2.45 4.9 s 0.1 s 49 50").next().is_some()
        {
            return;
        }
        std::thread::yield_now();
    }
    panic!("the difference was never shown");
}

#[test]
fn a_signal_that_is_plotted_while_the_run_holds_is_whole_when_it_goes_on_at_once() {
    let mut harness = window();
    show(&mut harness, ramp());
    harness.state_mut().go_to_step(29);
    until(&mut harness, "thirty steps", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 30
    });
    let integral = key(2, "Output");
    harness.state_mut().plot(std::slice::from_ref(&integral));
    harness.state_mut().open_mut().run.fill();
    // Before anything of it has come.
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    let column = |app: &simulate::app::App| app.open().run.recording().columns(&key(2, "Output")).first().cloned();
    until(&mut harness, "all samples", |app| column(app).is_some_and(|column| column.len() == 50));
    let column = column(harness.state()).expect("a lane");
    assert!((0..50).all(|step| column.at_step(step).is_some_and(|value| (value - 0.2 * step as f64).abs() < 1e-9)));
}

#[test]
fn a_variable_that_is_changed_counts_in_the_next_run() {
    let mut harness = window();
    let mut simulation = ramp();
    simulation.set_variable("k", simulate::model::Variable::new("3"));
    show(&mut harness, simulation);
    set_gain(&mut harness, "k");
    let run = |harness: &mut super::Window| {
        harness.state_mut().dispatch(Command::Run(RunCommand::Run));
        until(harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
        harness.state().open().run.value(&key(3, "Input"))
    };
    assert_near(run(&mut harness), 49.0 * 0.3);
    let variable = Some(simulate::model::Variable::new("5"));
    let edit = Edit::SetVariable { model: None, name: "k".into(), variable };
    assert!(harness.state_mut().apply(&Change::one("Set k", edit)));
    assert!(harness.state().open().run.is_stale);
    assert_near(run(&mut harness), 49.0 * 0.5);
    // And while a run goes on.
    harness.state_mut().go_to_step(0);
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    harness.state_mut().dispatch(Command::Run(RunCommand::Restart));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    assert_near(harness.state().open().run.value(&key(3, "Input")), 49.0 * 0.5);
}

#[test]
fn a_state_is_set_where_a_branch_begins() {
    let mut harness = window();
    show(&mut harness, ramp());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.state_mut().go_to_step(20);
    harness.state_mut().dispatch(Command::Run(RunCommand::Branch));
    until(&mut harness, "the branch", |app| app.open().run.state == RunState::Paused);
    if let Some(file) = &mut harness.state_mut().file {
        file.canvas.go_to(Vec::new(), Some(BlockId(2)));
    }
    until(&mut harness, "the state", |app| app.open().run.seen().is_some_and(|view| view.step == 19));
    harness.run_ok();
    harness.get_by_label("Integrated state").click();
    harness.run_ok();
    harness.key_press_modifiers(eframe::egui::Modifiers::COMMAND, eframe::egui::Key::A);
    harness.get_by_label("Integrated state").type_text("100");
    harness.key_press(eframe::egui::Key::Enter);
    harness.run_ok();
    until(&mut harness, "the change", |app| app.open().run.runs().current().is_some_and(|run| run.changes.len() == 1));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the branch", |app| app.open().run.state == RunState::Finished);
    assert_near(harness.state().open().run.value(&key(3, "Input")), 100.0 + 29.0 * 0.2);
}

#[test]
fn the_bar_of_time_goes_where_it_is_told() {
    let mut harness = window();
    show(&mut harness, ramp());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    let fill_in = |harness: &mut super::Window, field: &str, text: &str| {
        harness.get_by_label(field).click();
        harness.run_ok();
        harness.key_press_modifiers(eframe::egui::Modifiers::COMMAND, eframe::egui::Key::A);
        harness.get_by_label(field).type_text(text);
        harness.key_press(eframe::egui::Key::Enter);
        harness.run_ok();
        harness.state().open().run.chosen_step()
    };
    assert_eq!(fill_in(&mut harness, "Step shown", "12"), Some(12));
    assert_eq!(fill_in(&mut harness, "Time shown", "3.1 s"), Some(31));
    // The field of the time takes steps too; what is no step changes nothing.
    assert_eq!(fill_in(&mut harness, "Time shown", "step 7"), Some(7));
    assert_eq!(fill_in(&mut harness, "Step shown", "31"), Some(31));
    assert_eq!(fill_in(&mut harness, "Step shown", "soon"), Some(31));
    harness.get_by_label("Step back").click();
    harness.run_ok();
    assert_eq!(harness.state().open().run.chosen_step(), Some(30));
    harness.get_by_label("Step of the run").focus();
    harness.run_ok();
    harness.key_press(eframe::egui::Key::ArrowRight);
    harness.run_ok();
    assert_eq!(harness.state().open().run.chosen_step(), Some(31));
    harness.key_press(eframe::egui::Key::Home);
    harness.run_ok();
    assert_eq!(harness.state().open().run.chosen_step(), Some(0));
    harness.key_press(eframe::egui::Key::End);
    harness.run_ok();
    assert_eq!(harness.state().open().run.chosen_step(), Some(49));
    // Five seconds at a hundred a second.
    harness.state_mut().settings.play_rate = 100.0;
    harness.state_mut().dispatch(Command::Run(RunCommand::PlayRecorded));
    assert!(harness.state().open().run.is_playing());
    assert_eq!(harness.state().open().run.chosen_step(), Some(0));
    until(&mut harness, "the end of playing", |app| !app.open().run.is_playing());
    assert_eq!(harness.state().open().run.chosen_step(), Some(49));
    harness.get_by_label("Go to latest step").click();
    harness.run_ok();
    assert_eq!(harness.state().open().run.chosen_step(), None);
}

/// While a label is dragged its value acts in the run; the document changes once, when it is let go.
#[test]
fn a_label_that_is_dragged_turns_its_value_while_the_run_goes_on() {
    let mut harness = window();
    let mut simulation = gain_chain();
    simulation.steps = 0;
    show(&mut harness, simulation);
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the pause", |app| app.open().run.state == RunState::Paused);
    let file = harness.state_mut().file.as_mut().expect("a file");
    file.canvas.select(Selection { blocks: [BlockId(1)].into(), ..Selection::default() });
    harness.run_ok();
    let from = harness.get_by_label("Adjust Gain").rect().center();
    let changes = |app: &App| app.open().run.runs().current().expect("the run").changes.clone();
    harness.drag_at(from);
    harness.step();
    harness.hover_at(from + vec2(50.0, 0.0));
    harness.step();
    harness.hover_at(from + vec2(100.0, 0.0));
    harness.step();
    until(&mut harness, "the turn", |app| changes(app).last().is_some_and(|change| change.values == [3.0]));
    assert_eq!(gain_of(harness.state()), ["2"], "the document waits");
    harness.hover_at(from + vec2(200.0, 0.0));
    harness.step();
    harness.drop_at(from + vec2(200.0, 0.0));
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["12"]);
    until(&mut harness, "the last turn", |app| changes(app).last().is_some_and(|change| change.values == [12.0]));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["2"], "it is one change");
    until(&mut harness, "the way back", |app| changes(app).last().is_some_and(|change| change.values == [2.0]));
    // Escape gives a drag up.
    harness.drag_at(from);
    harness.step();
    harness.hover_at(from + vec2(30.0, 0.0));
    harness.step();
    harness.key_press(Key::Escape);
    harness.step();
    harness.drop_at(from + vec2(40.0, 0.0));
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["2"]);
    until(&mut harness, "the value as it was", |app| changes(app).last().is_some_and(|change| change.values == [2.0]));
}

/// The end of a run is where the document says, also if it says so during the run.
#[test]
fn a_run_ends_where_the_document_says_by_now() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    assert!(harness.state_mut().apply(&Change::one("Set steps", Edit::SetSteps(0))));
    harness.state_mut().dispatch(Command::Run(RunCommand::Step));
    until(&mut harness, "the pause", |app| app.open().run.state == RunState::Paused);
    assert!(harness.state_mut().apply(&Change::one("Set steps", Edit::SetSteps(30))));
    until(&mut harness, "the change", |app| app.open().run.steps == Some(30));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished);
    let run = harness.state().open().run.runs().current().expect("the run");
    assert_eq!((run.steps, run.planned), (30, Some(30)));
    assert!(!harness.state().open().run.is_stale);
}

/// With one megabyte for runs: what cannot be kept pauses the run, with the sizes and what to do; more room lets it go on.
#[test]
fn a_run_pauses_where_its_samples_have_no_room() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    assert!(harness.state_mut().apply(&Change::one("Set steps", Edit::SetSteps(40_000_000))));
    harness.state_mut().settings.runs_megabytes = 1;
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the pause", |app| app.open().run.state == RunState::Paused);
    let told = harness.state().window.message.as_ref().map(|message| message.text.clone()).expect("a message");
    assert!(told.starts_with("Paused: recordings take ") && told.contains(" on disk"), "{told}");
    let paused = harness.state().open().run.progress.step;
    assert!(paused < 40_000_000);
    harness.state_mut().dispatch(Command::Run(RunCommand::Stop));
    until(&mut harness, "the stop", |app| app.open().run.state == RunState::Stopped);
}

/// What stopped the run before is not said of the next one.
#[test]
fn a_new_run_takes_the_problem_of_the_last_away() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().complain("The run is paused: a value is infinite");
    harness.run_ok();
    harness.get_by_label("The run is paused: a value is infinite");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the run ends", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    assert!(harness.query_by_label("The run is paused: a value is infinite").is_none());
}
