//! Derivatives of signals by parameters, in the plots. The lag T·y' + y = K has the step response K·(1 − e^(−t/T)), with the
//! derivatives 1 − e^(−t/T) by K and −K·t/T²·e^(−t/T) by T.

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use simulate::app::App;
use simulate::app::action::Range;
use simulate::app::action::command::{Command, EditCommand, RunCommand};
use simulate::app::action::diagram_command::DiagramCommand;
use simulate::app::canvas::Selection;
use simulate::app::doc::plots::Derivative;
use simulate::app::store::run::RunState;
use simulate::model::{
    Block, BlockId, BlockKind, BlockPorts, Change, Connection, Edit, Model, ParamAddress, SignalKey, Simulation,
};

use super::{Opened as _, Window, settle, show, until, window};

const LAG: u64 = 1;
const GAIN: f64 = 3.0;
const TIME: f64 = 0.5;
const DELTA: f64 = 0.01;

/// A lag after a step at the beginning, and its output.
fn lag() -> Simulation {
    let mut model = Model::new("Main");
    let library = |id: u64, group: &str, name: &str| Block::new(BlockId(id.into()), BlockKind::library(group, name));
    model.add_block(library(0, "Var", "Static").with_option("Value", &["1"]).at(0.0, 0.0));
    let lag = library(LAG, "Continuous", "PT1").with_option("Gain", &["3"]).with_option("Time Constant", &["0.5"]);
    model.add_block(lag.at(120.0, 0.0));
    model.add_block(Block::new(BlockId(2), BlockKind::exit("y")).at(240.0, 0.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(LAG.into()), "Input"));
    model.connect(Connection::new(BlockId(LAG.into()), "Output", BlockId(2), "Input"));
    let mut simulation = Simulation::default();
    simulation.attributes.set("solver", "rk4");
    (simulation.steps, simulation.delta, simulation.root) = (200, DELTA, "Main".into());
    simulation.add_model(model);
    simulation
}

fn opened(simulation: Simulation) -> Window {
    let mut harness = window();
    show(&mut harness, simulation);
    until(&mut harness, "the check", |app| app.open().program.is_some());
    harness
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// Chooses “Plot sensitivity” in the menu of a parameter's row.
fn plot(harness: &mut Window, param: &str) {
    harness.state_mut().open_mut().canvas.select(Selection::of_block(BlockId(LAG.into())));
    harness.run_ok();
    click(harness, &format!("Actions for {param}"));
    click(harness, "Plot sensitivity");
}

fn run(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
}

/// The signal that stands for the derivative of the output by a parameter of the lag.
fn derivative(param: &str) -> SignalKey {
    let of = SignalKey::new(&[], BlockId(2), BlockPorts::INPUT);
    Derivative { of, by: ParamAddress::new(&[], BlockId(LAG.into()), param) }.signal()
}

fn samples(app: &App, param: &str) -> Vec<f64> {
    let columns = app.open().run.recording().columns(&derivative(param));
    columns.first().map(|column| column.values().to_vec()).unwrap_or_default()
}

fn wait(harness: &mut Window, param: &str) {
    until(harness, "the derivative", |app| {
        samples(app, param).len() as u64 == app.open().run.runs().current().map_or(0, |run| run.steps)
    });
    harness.run_ok();
}

#[track_caller]
fn near(got: &[f64], want: impl Fn(f64) -> f64) {
    assert!(!got.is_empty());
    for (step, got) in got.iter().enumerate() {
        let want = want(step as f64 * DELTA);
        assert!((got - want).abs() < 1e-6, "step {step}: {got}, not {want}");
    }
}

fn by_gain(t: f64) -> f64 {
    1.0 - (-t / TIME).exp()
}

fn by_time(t: f64) -> f64 {
    -GAIN * t / (TIME * TIME) * (-t / TIME).exp()
}

#[test]
fn the_menu_of_a_parameter_plots_its_sensitivity_in_each_run() {
    let mut harness = opened(lag());
    plot(&mut harness, "Gain");
    assert_eq!(harness.state().open().document.undo_labels().next(), Some("Plot sensitivity to Gain"));
    run(&mut harness);
    wait(&mut harness, "Gain");
    near(&samples(harness.state(), "Gain"), by_gain);
    harness.get_by_label("Curve d y / d PT1.Gain");
    // A finished run gets another derivative without running again.
    plot(&mut harness, "Time Constant");
    wait(&mut harness, "Time Constant");
    near(&samples(harness.state(), "Time Constant"), by_time);
    assert_eq!(harness.state().open().run.runs().len(), 1);
    // Each parameter has its plot, and there is no third for one that is there.
    assert_eq!(harness.state().open().derived.plots().plots.len(), 3);
    plot(&mut harness, "Gain");
    assert_eq!(harness.state().open().derived.plots().plots.len(), 3);
    // The next run has them, too.
    run(&mut harness);
    wait(&mut harness, "Time Constant");
    assert_eq!(harness.state().open().run.runs().len(), 2);
    near(&samples(harness.state(), "Gain"), by_gain);
}

/// The table has the columns of `simulate run --sensitivity "PT1.Gain"`.
#[test]
fn exported_derivatives_have_the_names_of_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = opened(lag());
    plot(&mut harness, "Gain");
    run(&mut harness);
    wait(&mut harness, "Gain");
    let path = folder.path().join("a.csv");
    harness.state_mut().export(path.clone(), None, Range::All);
    settle(&mut harness);
    let text = std::fs::read_to_string(&path).expect("it is written");
    assert_eq!(text.lines().next(), Some("step,time,y,d y / d PT1.Gain"));
    let last: f64 = text.lines().last().and_then(|line| line.rsplit(',').next()?.parse().ok()).expect("a number");
    assert!((last - by_gain(199.0 * DELTA)).abs() < 1e-6, "{last}");
}

#[test]
fn a_curve_is_removed_and_comes_back_by_the_list_of_signals() {
    let mut harness = opened(lag());
    plot(&mut harness, "Gain");
    run(&mut harness);
    wait(&mut harness, "Gain");
    let plotted = |harness: &Window| harness.state().open().derived.plots().derivatives().len();
    click(&mut harness, "Signals");
    harness.get_by_role_and_label(Role::CheckBox, "Plot d y / d PT1.Gain").click();
    harness.run_ok();
    assert_eq!(plotted(&harness), 0);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(plotted(&harness), 1);
    click(&mut harness, "Remove d y / d PT1.Gain from plot");
    assert_eq!(plotted(&harness), 0);
}

/// Until 1 s the gain is 3, then 1. From there on y − 1 decays, and so does the derivative but for what its rate gives.
#[test]
fn changes_during_the_run_take_effect_at_their_steps() {
    let mut harness = opened(lag());
    plot(&mut harness, "Time Constant");
    harness.state_mut().open_mut().run.takes_edits = true;
    harness.state_mut().go_to_step(99);
    until(&mut harness, "the pause", |app| app.open().run.state.is_paused());
    // A paused run has the derivatives of its steps.
    wait(&mut harness, "Time Constant");
    near(&samples(harness.state(), "Time Constant"), by_time);
    let set = Edit::SetOption {
        model: "Main".into(),
        id: BlockId(LAG.into()),
        name: "Gain".into(),
        values: Some(vec!["1".into()]),
    };
    harness.state_mut().apply(&Change::one("Set gain", set));
    until(&mut harness, "the change", |app| app.open().run.runs().current().is_some_and(|run| !run.changes.is_empty()));
    run(&mut harness);
    wait(&mut harness, "Time Constant");
    let (end, first, last) = (1.0, GAIN * by_gain(1.0), by_time(1.0));
    near(&samples(harness.state(), "Time Constant"), |t| match t <= end {
        true => by_time(t),
        false => (-(t - end) / TIME).exp() * (last - (1.0 - first) * (t - end) / (TIME * TIME)),
    });
}

/// y = u − y has the algebraic loop of a sum with itself.
#[test]
fn a_model_without_sensitivities_says_why() {
    let mut simulation = lag();
    simulation.attributes.set("loops", "solve");
    let model = simulation.model_mut("Main").expect("the model");
    let sum = Block::new(BlockId(5), BlockKind::library("Math", "Sum")).with_option("Signs", &["+-"]);
    model.add_block(sum.at(0.0, 150.0));
    model.add_block(Block::new(BlockId(6), BlockKind::library("Math", "Gain")).at(120.0, 150.0));
    for (from, to, input) in [(LAG, 5, "Input 1"), (5, 6, "Input"), (6, 5, "Input 2")] {
        model.connect(Connection::new(BlockId(from.into()), "Output", BlockId(to), input));
    }
    let mut harness = opened(simulation);
    plot(&mut harness, "Gain");
    run(&mut harness);
    until(&mut harness, "the reason", |app| app.open().lab.sensitivity.problem.is_some());
    harness.run_ok();
    let note = "No sensitivity to PT1.Gain: ";
    harness.get_all_by_label_contains(note).next().expect("a note in the plot");
    let problem = harness.state().open().lab.sensitivity.problem.clone().unwrap_or_default();
    assert!(problem.contains("is in an algebraic loop that depends on the parameter"), "{problem}");
    assert!(samples(harness.state(), "Gain").is_empty());
    // The next run says it again.
    run(&mut harness);
    until(&mut harness, "the reason", |app| app.open().lab.sensitivity.problem.is_some());
}

/// The file has the derivative, and follows its blocks into a subsystem.
#[test]
fn the_document_keeps_the_curve() {
    let mut harness = opened(lag());
    plot(&mut harness, "Gain");
    let stored = |harness: &Window| harness.state().open().simulation().attributes.get("view:plot").map(str::to_owned);
    assert_eq!(stored(&harness).as_deref(), Some("#2.Input|#2.Input{by=#1.Gain}"));
    harness.state_mut().open_mut().canvas.select(Selection::of_block(BlockId(LAG.into())));
    harness.state_mut().dispatch(Command::Diagram(DiagramCommand::Group));
    harness.run_ok();
    let text = stored(&harness).expect("the plots");
    let moved = text.split_once("by=").and_then(|(_, param)| param.strip_suffix("}")).expect("the derivative");
    assert!(moved.contains('/') && moved.ends_with(".Gain"), "{text}");
    until(&mut harness, "the check", |app| app.open().program.is_some());
    run(&mut harness);
    let shown = harness.state().open().derived.plots().derivatives()[0].signal();
    until(&mut harness, "the derivative", |app| !app.open().run.recording().columns(&shown).is_empty());
    let columns = harness.state().open().run.recording().columns(&shown).to_vec();
    near(&columns[0].values(), by_gain);
}
