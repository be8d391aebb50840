//! The panel that finds parameters with which the response meets requirements. Expected values come from closed forms: a lag of
//! second order with damping D has the overshoot exp(−πD/√(1 − D²)), which is 5 % for D = 0.690107.

mod state;

use std::sync::Arc;

use eframe::egui::accesskit::Role;
use eframe::egui::vec2;
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, Panel, RunCommand, ViewCommand};
use simulate::app::action::{LabAction, ResponseAction};
use simulate::app::store::lab::{ResponseResult, RunningResponse, SimulatedResponse};
use simulate::app::{Action, App};
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, Model, Simulation};

use super::fit::{DataFolder, click, enter, exit, library, near, option, simulation, tick};
use super::{Opened as _, Window, show, until, window};

const PLANT: u64 = 1;
/// The damping with 5 % overshoot.
const DAMPING: f64 = 0.690107;

/// The step response of 1/(s² + 2·D·s + 1) with D = 0.2.
fn lag() -> Simulation {
    let mut model = Model::new("Main");
    model.add_block(library(0, "Demand", ("Var", "Static"), ("Value", "1")));
    model.add_block(library(PLANT, "Plant", ("Continuous", "PT2"), ("Damping", "0.2")));
    model.add_block(Block::new(BlockId(2), BlockKind::exit("y")).at(420.0, 0.0));
    for (from, to) in [(0, PLANT), (PLANT, 2)] {
        model.connect(Connection::new(BlockId(from.into()), "Output", BlockId(to.into()), "Input"));
    }
    simulation(model, (6001, 0.01))
}

/// y = a·b with a = 1 and b = 1, and a check that y is at most `bound`.
fn product(bound: &str) -> Simulation {
    let mut model = Model::new("Main");
    model.add_block(library(0, "Demand", ("Var", "Static"), ("Value", "1")));
    model.add_block(library(1, "A", ("Math", "Gain"), ("Gain", "1")));
    model.add_block(library(2, "B", ("Math", "Gain"), ("Gain", "1")));
    model.add_block(library(3, "Limit", ("Check", "Upper Bound"), ("Bound", bound)));
    model.add_block(Block::new(BlockId(4), BlockKind::exit("y")).at(560.0, 90.0));
    for (from, to) in [(0, 1), (1, 2), (2, 3), (2, 4)] {
        model.connect(Connection::new(BlockId(from), "Output", BlockId(to), "Input"));
    }
    simulation(model, (100, 0.01))
}

fn damped(damping: f64, time: f64) -> f64 {
    let root = (1.0 - damping * damping).sqrt();
    1.0 - (-damping * time).exp() * ((root * time).cos() + damping / root * (root * time).sin())
}

/// In percent.
fn overshoot(damping: f64) -> f64 {
    100.0 * (-std::f64::consts::PI * damping / (1.0 - damping * damping).sqrt()).exp()
}

/// A window with the panel and the simulated response.
fn opened(simulation: Simulation) -> Window {
    let mut harness = window();
    show(&mut harness, simulation);
    until(&mut harness, "the check", |app| app.open().program.is_some());
    harness.state_mut().dispatch(Command::Run(RunCommand::OptimizeResponse));
    simulated(&mut harness);
    harness
}

/// Waits for the response of the simulation.
fn simulated(harness: &mut Window) {
    harness.step();
    until(harness, "a response", |app| {
        let lab = &app.open().lab.response;
        lab.search.is_some() || (lab.preview.result.is_some() && !lab.preview.is_busy())
    });
    harness.run_ok();
}

fn preview(app: &App) -> &SimulatedResponse {
    app.open().lab.response.preview.result.as_ref().expect("a response").as_ref().expect("no error")
}

fn search(app: &App) -> Option<&RunningResponse> {
    app.open().lab.response.search.as_ref()
}

fn result(app: &App) -> Option<&ResponseResult> {
    search(app)?.outcome.as_ref()?.as_ref().ok()
}

/// The requirements as the document stores them.
fn stored(app: &App) -> &str {
    app.open().simulation().attributes.get("view:requirements").unwrap_or_default()
}

fn add(harness: &mut Window, kind: &str) {
    click(harness, "Add requirement…");
    click(harness, kind);
    simulated(harness);
}

fn choose(harness: &mut Window, label: &str, entry: &str) {
    // It may be below what is in view.
    harness.get_by_role_and_label(Role::ComboBox, label).scroll_to_me();
    harness.run_ok();
    harness.get_by_role_and_label(Role::ComboBox, label).click();
    harness.run_ok();
    harness.get_by_label(entry).click();
    harness.run_ok();
}

fn optimize(harness: &mut Window) {
    click(harness, "Optimize");
    until(harness, "a result", |app| search(app).is_some_and(|search| !search.is_going_on() && !search.is_moving()));
    harness.run_ok();
}

fn undo(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
}

#[test]
fn the_response_is_drawn_before_anything_is_required() {
    let harness = opened(lag());
    let app = harness.state();
    assert!(app.window.layout.is_shown(Panel::Response));
    let curve = &preview(app).response.scenarios[0][0];
    assert_eq!(curve.signal, exit(2));
    assert!(curve.elements[0].len() > 300);
    for (time, value) in &curve.elements[0] {
        assert!((value - damped(0.2, *time)).abs() < 1e-5, "{time} {value}");
    }
    harness.get_by_label("Response y");
    harness.get_by_label("Add a requirement, or choose what to minimize");
    assert_eq!(stored(app), "");
}

#[test]
fn a_requirement_is_kept_in_the_document_and_shows_its_margin() {
    let mut harness = opened(lag());
    add(&mut harness, "Overshoot");
    assert_eq!(stored(harness.state()), "overshoot of {#2.Input} <= 5");
    let met = preview(harness.state()).evaluation().met[0];
    near(met.margin, 5.0 - overshoot(0.2), 1e-4);
    assert!(met.violated_at.is_some());
    harness.get_by_label("Choose the parameters to vary");
    enter(&mut harness, "Bound", "60");
    harness.key_press(eframe::egui::Key::Enter);
    simulated(&mut harness);
    assert_eq!(stored(harness.state()), "overshoot of {#2.Input} <= 60");
    assert!(preview(harness.state()).evaluation().is_met());
    undo(&mut harness);
    undo(&mut harness);
    assert_eq!(stored(harness.state()), "");
}

#[test]
fn the_damping_of_a_lag_is_found_applied_as_one_change_and_taken_back() {
    let mut harness = opened(lag());
    add(&mut harness, "Overshoot");
    choose(&mut harness, "Objective", "Minimize");
    choose(&mut harness, "Figure to optimize", "Rise time");
    assert_eq!(stored(harness.state()), "overshoot of {#2.Input} <= 5|minimize rise-time of {#2.Input}");
    tick(&mut harness, "Plant · Damping");
    enter(&mut harness, "Lower bound of Plant · Damping", "0.05");
    enter(&mut harness, "Upper bound of Plant · Damping", "2");
    let undos = harness.state().open().document.undo_labels().count();
    optimize(&mut harness);
    let found = result(harness.state()).expect("a result");
    near(found.optimum.values[0], DAMPING, 1e-3);
    assert!(found.optimum.after.is_met() && !found.optimum.before.is_met());
    assert_eq!(found.params[0].1, 0.2);
    // The curve that is drawn is that of the result.
    let search = search(harness.state()).expect("a search");
    let now = search.now.as_ref().expect("a response");
    let damping = found.optimum.values[0];
    for (time, value) in &now.response.scenarios[0][0].elements[0] {
        assert!((value - damped(damping, *time)).abs() < 1e-5);
    }
    let before = search.before.as_ref().expect("a response");
    near(before.evaluation().met[0].margin, 5.0 - overshoot(0.2), 1e-4);
    click(&mut harness, "Apply");
    let app = harness.state();
    near(option(app, PLANT, "Damping"), DAMPING, 1e-3);
    assert_eq!(app.open().document.undo_labels().next(), Some("Optimize response"));
    assert_eq!(app.open().document.undo_labels().count(), undos + 1);
    undo(&mut harness);
    assert_eq!(option(harness.state(), PLANT, "Damping"), 0.2);
}

#[test]
fn a_bound_in_all_steps_is_met_along_derivatives() {
    let mut harness = opened(lag());
    add(&mut harness, "Upper bound");
    enter(&mut harness, "Requirement as text", "y <= 1.05");
    harness.key_press(eframe::egui::Key::Enter);
    simulated(&mut harness);
    assert_eq!(stored(harness.state()), "{#2.Input} <= 1.05");
    near(preview(harness.state()).evaluation().met[0].margin, 0.05 - overshoot(0.2) / 100.0, 1e-4);
    tick(&mut harness, "Plant · Damping");
    optimize(&mut harness);
    let found = result(harness.state()).expect("a result");
    assert!(found.optimum.after.is_met() && found.optimum.has_gradient);
    assert!(found.optimum.values[0] > DAMPING - 1e-6, "{}", found.optimum.values[0]);
    harness.get_by_label_contains("All requirements are met");
    harness.get_by_label_contains("Plant · Damping: 0.2 →");
}

#[test]
fn a_bound_is_dragged_in_one_change() {
    let mut harness = opened(lag());
    add(&mut harness, "Upper bound");
    let bound = |app: &App| {
        let text = stored(app).to_owned();
        text.rsplit(' ').next().and_then(|number| number.parse::<f64>().ok()).expect("a number")
    };
    let first = bound(harness.state());
    // That is the peak of the curve.
    near(first, 1.0 + overshoot(0.2) / 100.0, 1e-2);
    let undos = harness.state().open().document.undo_labels().count();
    let line = harness.get_by_label_contains("Bound of y ≤").rect();
    harness.drag_at(line.center());
    harness.run_ok();
    for part in [10.0, 25.0, 40.0_f32] {
        harness.hover_at(line.center() + vec2(0.0, part));
        harness.step();
    }
    assert_eq!(bound(harness.state()), first, "the document changes when the pointer lets go");
    assert!(harness.state().open().panels.response.dragged.is_some_and(|dragged| dragged.value < first));
    harness.drop_at(line.center() + vec2(0.0, 40.0));
    simulated(&mut harness);
    let app = harness.state();
    assert!(bound(app) < first - 0.05, "{}", bound(app));
    assert_eq!(app.open().document.undo_labels().count(), undos + 1);
    assert_eq!(app.open().document.undo_labels().next(), Some("Move bound"));
    assert!(preview(app).evaluation().met[0].violated_at.is_some());
}

#[test]
fn requirements_are_switched_off_and_removed() {
    let mut harness = opened(lag());
    add(&mut harness, "Overshoot");
    tick(&mut harness, "overshoot of y ≤ 5");
    assert_eq!(stored(harness.state()), "off overshoot of {#2.Input} <= 5");
    simulated(&mut harness);
    assert!(preview(harness.state()).evaluation().met.is_empty());
    click(&mut harness, "Remove overshoot of y ≤ 5");
    assert_eq!(stored(harness.state()), "");
}

#[test]
fn check_blocks_are_requirements_unless_they_are_switched_off() {
    let mut harness = opened(product("0.5"));
    let met = &preview(harness.state()).evaluation().met;
    assert_eq!((met.len(), met[0].margin), (1, -0.5));
    harness.get_by_label("Response Margin of Limit");
    tick(&mut harness, "A · Gain");
    optimize(&mut harness);
    let found = result(harness.state()).expect("a result");
    assert!(found.optimum.after.is_met() && found.optimum.values[0] <= 0.5, "{}", found.optimum.values[0]);
    tick(&mut harness, "Check blocks of the simulation");
    assert_eq!(stored(harness.state()), "no checks");
    simulated(&mut harness);
    assert!(preview(harness.state()).evaluation().met.is_empty());
    harness.get_by_label("Add a requirement, or choose what to minimize");
}

#[test]
fn tolerances_leave_room_for_the_worst_case() {
    let mut simulation = product("2.2");
    simulation.attributes.set("view:requirements", "maximize final of {#4.Input}");
    let mut harness = opened(simulation);
    harness.get_by_label("Tolerances").click_accesskit();
    harness.run_ok();
    tick(&mut harness, "A · Gain");
    tick(&mut harness, "Tolerance: B · Gain");
    simulated(&mut harness);
    // With 1, 0.9 and 1.1.
    assert_eq!(preview(harness.state()).response.scenarios.len(), 3);
    near(preview(harness.state()).evaluation().met[0].margin, 2.2 - 1.1, 1e-12);
    optimize(&mut harness);
    // a·1.1 is at most 2.2.
    let found = result(harness.state()).expect("a result");
    near(found.optimum.values[0], 2.0, 1e-5);
    near(found.optimum.after.objective.expect("a figure"), 1.8, 1e-5);
}

#[test]
fn a_reference_curve_is_read_from_the_folder_of_the_simulation_only() {
    let data = DataFolder::new();
    let path = data.write("model.simx", "");
    data.write("step.csv", "time,v\n0,0\n1,0\n2,1.5\n");
    let mut harness = window();
    let mut simulation = lag();
    simulation.attributes.set("view:requirements", "{#2.Input} follows step.csv:v within 0.25");
    harness.state_mut().show(simulation, Some(path), "Test", Vec::new());
    until(&mut harness, "the check", |app| app.open().program.is_some());
    harness.state_mut().dispatch(Command::Run(RunCommand::OptimizeResponse));
    simulated(&mut harness);
    let now = preview(harness.state());
    assert_eq!(now.references["step.csv:v"], [(0.0, 0.0), (1.0, 0.0), (2.0, 1.5)]);
    let worst = (0..=200).map(|step| {
        let time = 0.01 * f64::from(step);
        0.25 - (damped(0.2, time) - 1.5 * (time - 1.0).max(0.0)).abs()
    });
    near(now.evaluation().met[0].margin, worst.fold(f64::INFINITY, f64::min), 1e-4);
    click(&mut harness, "Edit y follows step.csv:v within 0.25");
    enter(&mut harness, "Reference curve", "../step.csv:v");
    harness.key_press(eframe::egui::Key::Enter);
    simulated(&mut harness);
    harness.get_by_label("../step.csv: a reference curve must be in the folder of the simulation");
}

/// A search of many starts, which takes long.
fn long_search() -> Window {
    let mut simulation = lag();
    simulation.delta = 1e-3;
    simulation.steps = 30_001;
    simulation.attributes.set("view:requirements", "overshoot of {#2.Input} <= 5|minimize rise-time of {#2.Input}");
    let mut harness = opened(simulation);
    tick(&mut harness, "Plant · Damping");
    harness.state_mut().open_mut().panels.response.options.starts = 1000;
    click(&mut harness, "Optimize");
    until(&mut harness, "a first step", |app| search(app).is_some_and(|search| search.progress.is_some()));
    assert!(harness.state().open().lab.response.is_searching());
    harness
}

#[test]
fn stop_keeps_the_document_and_the_best_values_so_far() {
    let mut harness = long_search();
    let before = Arc::clone(harness.state().open().simulation());
    harness.get_by_label_contains(" evaluations, smallest margin ");
    click(&mut harness, "Stop search");
    until(&mut harness, "the end", |app| !app.open().lab.response.is_searching());
    harness.run_ok();
    assert!(Arc::ptr_eq(&before, harness.state().open().simulation()));
    harness.get_by_label("Stopped; these are the best values so far");
    let found = result(harness.state()).expect("a result");
    assert!(found.optimum.values[0] > 0.2, "{}", found.optimum.values[0]);
}

#[test]
fn a_closed_panel_ends_its_search() {
    let mut harness = long_search();
    // Behind another panel it goes on.
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Problems)));
    harness.run_ok();
    assert!(harness.state().open().lab.response.is_searching());
    harness.state_mut().dispatch(Command::Run(RunCommand::OptimizeResponse));
    harness.run_ok();
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Response)));
    harness.run_ok();
    assert!(search(harness.state()).is_none());
}

#[test]
fn a_change_of_the_simulation_ends_a_search() {
    let mut harness = long_search();
    let option =
        Edit::SetOption { model: "Main".into(), id: BlockId(0), name: "Value".into(), values: Some(vec!["3".into()]) };
    harness.state_mut().act(Action::Apply(Change::one("Set Value", option)));
    until(&mut harness, "the end", |app| !app.open().lab.response.is_searching());
    harness.run_ok();
    harness.get_by_label("Stopped, since the simulation was changed; optimize again");
}

#[test]
fn a_requirement_whose_signal_is_removed_says_so() {
    let mut harness = opened(lag());
    add(&mut harness, "Overshoot");
    let remove = Edit::RemoveBlocks { model: "Main".into(), ids: vec![BlockId(2)] };
    harness.state_mut().act(Action::Apply(Change::one("Remove", remove)));
    harness.run_ok();
    harness.get_by_label_contains("the signal is not in the simulation any more; choose another one");
}

#[test]
fn a_panel_without_a_question_or_with_errors_in_the_simulation_does_nothing() {
    let mut harness = opened(lag());
    for action in [ResponseAction::Begin, ResponseAction::Stop, ResponseAction::Apply] {
        harness.state_mut().act(Action::Lab(LabAction::Response(action)));
        harness.run_ok();
    }
    assert!(search(harness.state()).is_none());
    let mut broken = lag();
    broken.root = "Nowhere".into();
    show(&mut harness, broken);
    harness.state_mut().dispatch(Command::Run(RunCommand::OptimizeResponse));
    until(&mut harness, "the check", |app| !app.open().diagnostics.errors().is_empty());
    harness.run_ok();
    harness.get_by_label("The simulation has errors; mend them, then it can be optimized");
}
