//! The panel that fits parameters to measured curves. The data are of formulas that the tests write, and of NIST's collection
//! of nonlinear regressions with certified values; the simulations solve the differential equations behind them.

mod state;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, Pos2};
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, Panel, RunCommand, ViewCommand};
use simulate::app::action::{FitAction, LabAction, PlotsAction};
use simulate::app::store::lab::RunningFit;
use simulate::app::{Action, App};
use simulate::calibration::FitOutcome;
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, Model, SignalKey, Simulation};
use simulate::optimize::End;

use super::{Dropped, Opened as _, Window, show, until, window};

const STORE: u64 = 0;
const RATE: u64 = 1;

pub(super) fn library(id: u64, label: &str, (group, name): (&str, &str), option: (&str, &str)) -> Block {
    let block = Block::new(BlockId(id.into()), BlockKind::library(group, name)).with_option(option.0, &[option.1]);
    let mut block = block.at(140.0 * id as f64, 0.0);
    block.attributes.set("label", label);
    block
}

pub(super) fn simulation(model: Model, (steps, delta): (u64, f64)) -> Simulation {
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta, simulation.root) = (steps, delta, "Main".into());
    simulation.attributes.set("solver", "rk4");
    simulation.add_model(model);
    simulation
}

/// y' = −k·y from a: y(t) = a·exp(−k·t). Here a = 1 and k = 0.2; `twice` is 2·y.
pub(super) fn decay() -> Simulation {
    let mut model = Model::new("Main");
    model.add_block(library(STORE, "Store", ("Math", "Integrate"), ("Initial Value", "1")));
    model.add_block(library(RATE, "Rate", ("Math", "Gain"), ("Gain", "-0.2")));
    model.add_block(library(2, "Double", ("Math", "Gain"), ("Gain", "2")));
    model.add_block(Block::new(BlockId(3), BlockKind::exit("amount")).at(420.0, 0.0));
    model.add_block(Block::new(BlockId(4), BlockKind::exit("twice")).at(420.0, 90.0));
    for (from, to) in [(STORE, RATE), (RATE, STORE), (STORE, 2), (STORE, 3), (2, 4)] {
        model.connect(Connection::new(BlockId(from.into()), "Output", BlockId(to.into()), "Input"));
    }
    simulation(model, (500, 0.01))
}

/// y' = b2·(b1 − y) from 0: the step response of a lag of first order, y(t) = b1·(1 − exp(−b2·t)). The values are NIST's
/// first start.
fn lag() -> Simulation {
    let mut model = Model::new("Main");
    model.add_block(library(0, "Demand", ("Var", "Static"), ("Value", "1")));
    model.add_block(library(1, "Difference", ("Math", "Sum"), ("Signs", "+-")));
    model.add_block(library(2, "Rate", ("Math", "Gain"), ("Gain", "1")));
    model.add_block(library(3, "Consumed", ("Math", "Integrate"), ("Initial Value", "0")));
    model.add_block(Block::new(BlockId(4), BlockKind::exit("BOD")).at(560.0, 0.0));
    for (from, to, input) in [(0, 1, "Input 1"), (3, 1, "Input 2"), (1, 2, "Input"), (2, 3, "Input"), (3, 4, "Input")] {
        model.connect(Connection::new(BlockId(from), "Output", BlockId(to), input));
    }
    simulation(model, (1000, 0.01))
}

/// A data file in a folder that is there as long as the test.
pub(super) struct DataFolder {
    folder: tempfile::TempDir,
}

impl DataFolder {
    pub(super) fn new() -> DataFolder {
        DataFolder { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// 3·exp(−0.7·t), and 0.5·t in a further column.
    fn decay(&self, heads: &str) -> PathBuf {
        let mut text = format!("{heads}\n");
        for row in 0..=20 {
            let time = 0.25 * f64::from(row);
            let _ = writeln!(text, "{time},{},{}", 3.0 * (-0.7 * time).exp(), 0.5 * time);
        }
        self.write("decay.csv", &text)
    }
}

fn drop_file(harness: &mut Window, path: &Path, at: Option<Pos2>) {
    if let Some(at) = at {
        harness.hover_at(at);
        harness.step();
    }
    harness.input_mut().dropped_files.push(Arc::new(Dropped(path.to_owned())));
    harness.step();
    until(harness, "the file is read", |app| app.open().lab.fit.reading().is_none());
    harness.run_ok();
}

/// A window with a simulation that is checked, and a data file that was dropped on it.
fn opened(simulation: Simulation, path: &Path) -> Window {
    let mut harness = window();
    show(&mut harness, simulation);
    until(&mut harness, "the check", |app| app.open().program.is_some());
    drop_file(&mut harness, path, None);
    harness
}

pub(super) fn click(harness: &mut Window, label: &str) {
    harness.get_by_role_and_label(Role::Button, label).click();
    harness.run_ok();
}

pub(super) fn tick(harness: &mut Window, label: &str) {
    // It may be below those that are in view.
    harness.get_by_role_and_label(Role::CheckBox, label).click_accesskit();
    harness.run_ok();
}

pub(super) fn enter(harness: &mut Window, label: &str, text: &str) {
    harness.get_by_label(label).focus();
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text(text.into()));
    harness.run_ok();
}

fn fit(app: &App) -> Option<&RunningFit> {
    app.open().lab.fit.fit.as_ref()
}

fn outcome(app: &App) -> Option<&FitOutcome> {
    fit(app)?.outcome.as_ref()?.as_ref().ok()
}

fn press_fit(harness: &mut Window) {
    click(harness, "Fit");
    until(harness, "a result", |app| fit(app).is_some_and(|fit| !fit.is_going_on() && !fit.is_moving()));
    harness.run_ok();
}

fn signals(app: &App) -> Vec<Option<SignalKey>> {
    app.open().panels.fit.columns.iter().map(|row| row.signal.clone().map(|(key, _)| key)).collect()
}

pub(super) fn option(app: &App, block: u64, name: &str) -> f64 {
    let model = app.open().simulation().model("Main").cloned().expect("the model");
    let block = model.block(BlockId(block.into())).expect("the block");
    block.option_texts(name).expect("an option").concat().parse().expect("a number")
}

pub(super) fn near(got: f64, wanted: f64, relative: f64) {
    assert!((got - wanted).abs() <= relative * wanted.abs(), "{got}, not {wanted}");
}

pub(super) fn exit(id: i128) -> SignalKey {
    SignalKey::new(&[], BlockId(id), "Input")
}

#[test]
fn a_data_file_on_a_plot_opens_the_panel_with_the_signal_of_that_plot() {
    let data = DataFolder::new();
    let path = data.write("measured.csv", "Time (s),sensor 1\n0,3\n1,2\n2,1\n");
    let mut harness = window();
    show(&mut harness, decay());
    until(&mut harness, "the check", |app| app.open().program.is_some());
    harness.state_mut().act(Action::Plots(PlotsAction::Plot(vec![exit(4)])));
    harness.state_mut().act(Action::Plots(PlotsAction::Unplot(vec![exit(3)])));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the run", |app| app.open().run.last_step().is_some());
    harness.run_ok();
    let plots = &harness.state().open().panels.plots;
    let at = plots.areas.first().expect("a plot").center();
    assert_eq!(plots.plot_at(at), Some(0));
    drop_file(&mut harness, &path, Some(at));
    let app = harness.state();
    assert!(app.window.layout.is_shown(Panel::Fit), "the panel is there");
    assert_eq!(app.open().panels.fit.time.as_deref(), Some("Time (s)"));
    assert_eq!(signals(app), [Some(exit(4))], "the only column is the only signal of the plot");
    harness.get_by_label("measured.csv");
    harness.get_by_label("Choose the parameters to fit");
    // The document is as it was: a file that is looked at changes nothing.
    assert!(
        harness.state().open().document.undo_labels().all(|label| label.contains("Plot") || label.contains("plot"))
    );
}

#[test]
fn a_data_file_without_a_plot_is_paired_by_names() {
    let data = DataFolder::new();
    let path = data.decay("t,Twice [mol],something");
    let harness = opened(decay(), &path);
    assert_eq!(signals(harness.state()), [Some(exit(4)), None]);
}

#[test]
fn the_values_of_a_formula_are_found_applied_as_one_change_and_taken_back() {
    let data = DataFolder::new();
    let mut harness = opened(decay(), &data.decay("time,amount,other"));
    until(&mut harness, "the curve before", |app| app.open().lab.fit.preview.result.is_some());
    let preview = harness.state().open().lab.fit.preview.result.as_ref().expect("curves").as_ref().expect("no error");
    assert!(preview[0].times.len() > 100 && preview[0].times.last() == Some(&5.0));
    for (time, value) in preview[0].times.iter().zip(&preview[0].values) {
        near(*value, (-0.2 * time).exp(), 1e-6);
    }
    tick(&mut harness, "Store · Initial Value");
    tick(&mut harness, "Rate · Gain");
    let undos = harness.state().open().document.undo_labels().count();
    press_fit(&mut harness);
    let found = outcome(harness.state()).expect("a result");
    assert_eq!(found.end, End::Converged);
    // The steps of the solver leave an error far below this.
    near(found.params[0].value, 3.0, 1e-7);
    near(found.params[1].value, -0.7, 1e-7);
    harness.get_by_label("Converged");
    // The curve that is drawn goes through the points.
    let fit = fit(harness.state()).expect("a fit");
    let (curve, before) = (&fit.now[0], &fit.before[0]);
    for (time, value) in curve.times.iter().zip(&curve.values) {
        near(*value, 3.0 * (-0.7 * time).exp(), 1e-6);
    }
    for (time, value) in before.times.iter().zip(&before.values) {
        near(*value, (-0.2 * time).exp(), 1e-6);
    }
    assert!(fit.history.windows(2).all(|pair| pair[1].value <= pair[0].value) && fit.history.len() > 2);
    click(&mut harness, "Apply");
    let app = harness.state();
    near(option(app, STORE, "Initial Value"), 3.0, 1e-7);
    near(option(app, RATE, "Gain"), -0.7, 1e-7);
    assert_eq!(app.open().document.undo_labels().next(), Some("Fit parameters"));
    assert_eq!(app.open().document.undo_labels().count(), undos + 1);
    assert!(app.open().panels.fit.change.is_none(), "the simulation has these values");
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    let app = harness.state();
    assert_eq!((option(app, STORE, "Initial Value"), option(app, RATE, "Gain")), (1.0, -0.2));
    until(&mut harness, "the change is there again", |app| app.open().panels.fit.change.is_some());
}

#[test]
fn boxbod_has_its_certified_values() {
    let data = DataFolder::new();
    // The columns as NIST gives them, the times last.
    let path = data.write("BoxBOD.csv", "y,x\n109,1\n149,2\n149,3\n191,5\n213,7\n224,10\n");
    let mut harness = opened(lag(), &path);
    assert_eq!(harness.state().open().panels.fit.time.as_deref(), Some("x"));
    assert_eq!(signals(harness.state()), [Some(exit(4))], "the only column is the only exit");
    tick(&mut harness, "Demand · Value");
    tick(&mut harness, "Rate · Gain");
    press_fit(&mut harness);
    let found = outcome(harness.state()).expect("a result");
    for (param, (value, error)) in
        found.params.iter().zip([(2.138_094_088_9e2, 1.235_451_517_6e1), (5.472_374_854_2e-1, 1.045_599_323_7e-1)])
    {
        near(param.value, value, 1e-6);
        near(param.error.expect("a standard error"), error, 1e-4);
    }
}

#[test]
fn bounds_starts_and_scales_that_are_typed_are_used() {
    let data = DataFolder::new();
    let mut harness = opened(decay(), &data.decay("time,amount,other"));
    tick(&mut harness, "Store · Initial Value");
    enter(&mut harness, "Start of Store · Initial Value", "2");
    enter(&mut harness, "Upper bound of Store · Initial Value", "2.5");
    tick(&mut harness, "Logarithmic scale of Store · Initial Value");
    tick(&mut harness, "Rate · Gain");
    press_fit(&mut harness);
    let found = outcome(harness.state()).expect("a result");
    assert_eq!(found.params[0].before, 2.0);
    near(found.params[0].value, 2.5, 1e-6);
    assert!(found.params[0].is_at_bound);
    harness.get_by_label("At a bound, beyond which the sum would be smaller: Store · Initial Value");
    harness.get_by_label("at its bound");
}

#[test]
fn what_the_data_do_not_tell_is_said() {
    let data = DataFolder::new();
    let mut harness = opened(decay(), &data.decay("time,amount,other"));
    // The curve of the store does not depend on what comes after it.
    tick(&mut harness, "Double · Gain");
    tick(&mut harness, "Rate · Gain");
    press_fit(&mut harness);
    harness.get_by_label("Without effect on the measured curves: Double · Gain");
    harness.get_by_label("not determined");
}

#[test]
fn elements_of_options_that_are_compiled_are_fitted_too() {
    let data = DataFolder::new();
    // The step response of 3/(0.5·s + 1).
    let mut text = "time,y\n".to_owned();
    for row in 0..20 {
        let time = 0.25 * f64::from(row);
        let _ = writeln!(text, "{time},{}", 3.0 * (1.0 - (-time / 0.5).exp()));
    }
    let mut model = Model::new("Main");
    model.add_block(library(0, "In", ("Var", "Static"), ("Value", "1")));
    let plant = library(1, "Plant", ("Continuous", "Transfer Function"), ("Numerator", "1"));
    model.add_block(plant.with_option("Denominator", &["1", "1"]));
    model.add_block(Block::new(BlockId(2), BlockKind::exit("y")).at(420.0, 0.0));
    for (from, to) in [(0, 1), (1, 2)] {
        model.connect(Connection::new(BlockId(from), "Output", BlockId(to), "Input"));
    }
    let mut harness = opened(simulation(model, (500, 0.01)), &data.write("plant.csv", &text));
    tick(&mut harness, "Plant · Numerator");
    tick(&mut harness, "Plant · Denominator[0]");
    enter(&mut harness, "Start of Plant · Denominator[0]", "2");
    press_fit(&mut harness);
    let found = outcome(harness.state()).expect("a result");
    assert_eq!(found.params[1].before, 2.0);
    near(found.params[0].value, 3.0, 1e-6);
    near(found.params[1].value, 0.5, 1e-6);
    click(&mut harness, "Apply");
    let model = harness.state().open().simulation().model("Main").cloned().expect("the model");
    let texts = model.block(BlockId(1)).and_then(|block| block.option_texts("Denominator")).expect("an option");
    near(texts[0].parse().expect("a number"), 0.5, 1e-6);
    assert_eq!(texts[1], "1");
    assert!(outcome(harness.state()).is_some(), "the result stays");
    // Another signal is another question.
    let panel = &mut harness.state_mut().open_mut().panels.fit;
    panel.columns[0].signal = Some((SignalKey::new(&[], BlockId(0), "Output"), 0));
    harness.run_ok();
    assert!(fit(harness.state()).is_none());
}

/// A fit of thousands of starts, which takes long.
fn long_fit(data: &DataFolder) -> Window {
    let mut simulation = decay();
    simulation.delta = 1e-5;
    let mut harness = opened(simulation, &data.decay("time,amount,other"));
    tick(&mut harness, "Store · Initial Value");
    tick(&mut harness, "Rate · Gain");
    harness.state_mut().open_mut().panels.fit.options.starts = 1000;
    click(&mut harness, "Fit");
    until(&mut harness, "a first step", |app| fit(app).is_some_and(|fit| fit.progress.is_some()));
    assert!(harness.state().open().lab.fit.is_fitting());
    harness
}

#[test]
fn stop_keeps_the_document_and_the_best_values_so_far() {
    let data = DataFolder::new();
    let mut harness = long_fit(&data);
    let before = Arc::clone(harness.state().open().simulation());
    click(&mut harness, "Stop fit");
    until(&mut harness, "the end", |app| !app.open().lab.fit.is_fitting());
    harness.run_ok();
    assert!(Arc::ptr_eq(&before, harness.state().open().simulation()));
    let found = outcome(harness.state()).expect("a result");
    assert!(found.after < found.before, "{} is better than {}", found.after, found.before);
    harness.get_by_role_and_label(Role::Button, "Apply");
}

#[test]
fn a_closed_panel_ends_its_fit() {
    let data = DataFolder::new();
    let mut harness = long_fit(&data);
    // Behind another panel it goes on.
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Problems)));
    harness.run_ok();
    assert!(harness.state().open().lab.fit.is_fitting());
    harness.state_mut().dispatch(Command::Run(RunCommand::FitToData));
    harness.run_ok();
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Fit)));
    harness.run_ok();
    assert!(fit(harness.state()).is_none());
}

#[test]
fn a_change_of_the_simulation_ends_a_fit_and_one_of_its_looks_does_not() {
    let data = DataFolder::new();
    let mut harness = long_fit(&data);
    let id = BlockId(STORE.into());
    let label = Edit::SetBlockAttribute { model: "Main".into(), id, name: "label".into(), value: Some("Tank".into()) };
    harness.state_mut().act(Action::Apply(Change::one("Rename", label)));
    harness.run_ok();
    assert!(harness.state().open().lab.fit.is_fitting(), "a name changes no result");
    let option =
        Edit::SetOption { model: "Main".into(), id: BlockId(2), name: "Gain".into(), values: Some(vec!["3".into()]) };
    harness.state_mut().act(Action::Apply(Change::one("Set Gain", option)));
    until(&mut harness, "the end", |app| !app.open().lab.fit.is_fitting());
    harness.run_ok();
    harness.get_by_label("Stopped, since the simulation was changed; fit again");
}

#[test]
fn files_that_are_no_data_are_refused_with_the_reason() {
    let data = DataFolder::new();
    let mut harness = window();
    show(&mut harness, decay());
    harness.state_mut().dispatch(Command::Run(RunCommand::FitToData));
    harness.run_ok();
    harness.get_by_role_and_label(Role::Button, "Choose file…");
    drop_file(&mut harness, &data.write("empty.csv", ""), None);
    let panel = &harness.state().open().panels.fit;
    assert!(panel.file.is_none() && panel.unreadable.as_ref().is_some_and(|why| why.contains("empty.csv")));
    drop_file(&mut harness, &data.write("early.csv", "time,amount\n-1,2\n0,1\n"), None);
    harness.get_by_label("Row 1 of the column of times has -1; choose another column, or times in seconds from 0 on");
    assert!(harness.state().open().panels.fit.unreadable.is_none());
}

#[test]
fn a_data_file_without_a_simulation_says_what_to_do() {
    let data = DataFolder::new();
    let mut harness = window();
    harness.input_mut().dropped_files.push(Arc::new(Dropped(data.decay("time,amount,other"))));
    harness.run_ok();
    let message = harness.state().window.message.as_ref().map(|message| message.text.clone());
    assert!(message.is_some_and(|text| text.contains("Open a simulation first")));
}

#[test]
fn a_panel_without_a_file_or_with_errors_in_the_simulation_does_nothing() {
    let data = DataFolder::new();
    let mut harness = window();
    show(&mut harness, decay());
    for action in [FitAction::Begin, FitAction::Stop, FitAction::Apply] {
        harness.state_mut().act(Action::Lab(LabAction::Fit(action)));
        harness.run_ok();
    }
    assert!(fit(harness.state()).is_none());
    let mut broken = decay();
    broken.root = "Nowhere".into();
    show(&mut harness, broken);
    drop_file(&mut harness, &data.decay("time,amount,other"), None);
    until(&mut harness, "the check", |app| !app.open().diagnostics.errors().is_empty());
    harness.run_ok();
    harness.get_by_label("The simulation has errors; mend them, then it can be fitted");
}
