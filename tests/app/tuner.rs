//! The tuner of PID blocks. The plant of most tests is an integrator, whose gains have closed forms: for the bandwidth ω
//! and the phase margin φ a PI controller has P = ω·cos(90° − φ) and I = ω²·sin(90° − φ).

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, PointerButton};
use egui_kittest::kittest::Queryable as _;
use simulate::app::App;
use simulate::app::action::command::{Command, EditCommand, Panel, RunCommand};
use simulate::app::canvas::Selection;
use simulate::app::panels::tuner::Point;
use simulate::app::store::lab::Suggestion;
use simulate::app::store::run::RunState;
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};
use simulate::tuning::{Kind, Rule};

use super::{Opened as _, Window, click_at, show, until, window};

const PID: u64 = 2;

/// A set point, an error, a PID block and the plant behind it, in a loop.
fn looped(kind: (&str, &str), options: &[(&str, &str)], plant: Block) -> Simulation {
    let mut model = Model::new("Main");
    let at = |id: u64| (120.0 * id as f64, 0.0);
    let block = |id: u64, group: &str, name: &str| Block::new(BlockId(id.into()), BlockKind::library(group, name));
    let placed = |block: Block, (x, y): (f64, f64)| block.at(x, y);
    model.add_block(placed(block(0, "Var", "Step"), at(0)));
    model.add_block(placed(block(1, "Math", "Sum").with_option("Signs", &["+-"]), at(1)));
    let pid = options.iter().fold(block(PID, kind.0, kind.1), |pid, (name, value)| pid.with_option(name, &[value]));
    model.add_block(placed(pid, at(2)));
    let (x, y) = at(4);
    model.add_block(plant.at(x, y));
    for (from, to, input) in [(0, 1, "Input 1"), (3, 1, "Input 2"), (1, 2, "Error"), (2, 3, "Input")] {
        model.connect(Connection::new(BlockId(from), "Output", BlockId(to), input));
    }
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta, simulation.root) = (200, 0.01, "Main".into());
    simulation.add_model(model);
    simulation
}

fn integrator() -> Block {
    Block::new(BlockId(3), BlockKind::library("Math", "Integrate"))
}

fn continuous(options: &[(&str, &str)]) -> Simulation {
    looped(("Continuous", "PID Controller"), options, integrator())
}

/// Opens the tuner by its command.
fn tuner(simulation: Simulation) -> Window {
    let mut harness = window();
    show(&mut harness, simulation);
    until(&mut harness, "the check", |app| app.open().program.is_some());
    harness.state_mut().dispatch(Command::Run(RunCommand::TunePid));
    harness.run_ok();
    harness
}

fn suggestion(app: &App) -> Option<&Suggestion> {
    app.open().lab.tuner.suggestion.as_ref().and_then(|found| found.as_ref().ok())
}

/// Waits for the suggestion for the panel's settings.
fn wait(harness: &mut Window) {
    until(harness, "a suggestion", |app| {
        let Some(Ok(of)) = &app.open().lab.tuner.of else { return false };
        let wanted = app.open().panels.tuner.target(&of.block);
        !app.open().lab.tuner.is_busy() && suggestion(app).is_some_and(|found| found.target == wanted)
    });
    harness.run_ok();
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

fn choose(harness: &mut Window, list: &str, entry: &str) {
    harness.get_by_role_and_label(Role::ComboBox, list).click();
    harness.run_ok();
    harness.get_by_role_and_label(Role::Button, entry).click();
    harness.run_ok();
}

/// Types a number into a field.
fn enter(harness: &mut Window, label: &str, text: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.event(Event::Text(text.into()));
    harness.key_press(Key::Enter);
    harness.run_ok();
}

fn option(app: &App, name: &str) -> Option<f64> {
    let block = app.open().simulation().model("Main")?.block(BlockId(PID.into()))?.clone();
    block.option_texts(name)?.concat().parse().ok()
}

fn near(got: f64, wanted: f64) {
    assert!((got - wanted).abs() <= 1e-5 * wanted.abs().max(1e-3), "{got}, not {wanted}");
}

#[test]
fn apply_writes_the_gains_as_one_change() {
    let mut harness = tuner(continuous(&[("P", "1"), ("I", "1"), ("D", "0")]));
    wait(&mut harness);
    enter(&mut harness, "Bandwidth, rad/s", "2");
    enter(&mut harness, "Phase margin, degrees", "60");
    wait(&mut harness);
    harness.get_by_label("60°");
    click(&mut harness, "Apply");
    let (p, i) = (2.0 * 30f64.to_radians().cos(), 4.0 * 30f64.to_radians().sin());
    near(option(harness.state(), "P").expect("P"), p);
    near(option(harness.state(), "I").expect("I"), i);
    let app = harness.state();
    assert_eq!(app.open().document.undo_labels().next(), Some("Tune PID controller"));
    // The block has the suggested gains now.
    until(&mut harness, "the new loop", |app| {
        app.open()
            .lab
            .tuner
            .of
            .as_ref()
            .is_some_and(|of| of.as_ref().is_ok_and(|of| (of.block.gains.p - p).abs() < 1e-4))
    });
    wait(&mut harness);
    let margins = suggestion(harness.state()).expect("a suggestion").before.1.margins;
    near(margins.phase, 60.0);
    near(margins.phase_at.expect("a crossover"), 2.0);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!((option(harness.state(), "P"), option(harness.state(), "I")), (Some(1.0), Some(1.0)));
}

/// The open loop `(P + I/s)/s` has the gain 1 and the phase −180° + φ at the bandwidth, and the gain `P/ω` far above it.
#[test]
fn the_bode_plot_of_the_open_loop_follows_the_sliders() {
    let mut harness = tuner(continuous(&[("P", "1"), ("I", "1"), ("D", "0")]));
    wait(&mut harness);
    for (bandwidth, margin) in [("2", 60.0_f64), ("8", 45.0)] {
        enter(&mut harness, "Bandwidth, rad/s", bandwidth);
        enter(&mut harness, "Phase margin, degrees", &margin.to_string());
        wait(&mut harness);
        let bandwidth: f64 = bandwidth.parse().expect("a number");
        let found = suggestion(harness.state()).expect("a suggestion");
        let [_, after] = &found.open;
        let at = after.iter().position(|point| point.frequency >= bandwidth).expect("it shows the crossover");
        let (low, high) = (after[at - 1], after[at]);
        assert!(low.decibels() >= 0.0 && high.decibels() <= 0.0, "{} {}", low.decibels(), high.decibels());
        let between = low.phase.min(high.phase) - 1e-6..=low.phase.max(high.phase) + 1e-6;
        assert!(between.contains(&(margin - 180.0)), "{between:?}");
        // P/ω, and I is ω²·cos φ.
        let last = after.last().expect("points");
        near(
            last.value.re.hypot(last.value.im),
            found.tuned.gains.p.hypot(found.tuned.gains.i / last.frequency) / last.frequency,
        );
    }
}

/// Sliders, responses and Bode plot are in the panel, whose height is the usual one.
#[test]
fn all_charts_fit_in_the_panel() {
    let mut harness = tuner(continuous(&[("P", "1"), ("I", "1"), ("D", "0")]));
    wait(&mut harness);
    let panel = harness.state().window.layout.rect_of(Panel::Tuner).expect("the panel");
    let charts = ["Set point step", "Disturbance step", "Control signal", "Gain", "Phase"];
    let rects = charts.map(|name| harness.get_by_role_and_label(Role::Canvas, name).rect());
    let sliders = ["Bandwidth", "Phase margin"].map(|name| harness.get_by_role_and_label(Role::Slider, name).rect());
    for rect in rects.iter().chain(&sliders) {
        assert!(panel.expand(1.0).contains_rect(*rect), "{rect} in {panel}");
    }
    for (number, rect) in rects.iter().enumerate() {
        assert!(rect.width() >= 120.0 && rect.height() >= 60.0, "{rect}");
        assert!(rects.iter().skip(number + 1).all(|other| !other.shrink(1.0).intersects(*rect)), "{rect}");
    }
}

/// A proportional controller of an integrator has the gain ω and the phase margin 90°; there is nothing to reach 60° with.
#[test]
fn a_type_without_the_terms_says_that_the_margin_is_not_reached() {
    let mut harness = tuner(continuous(&[]));
    wait(&mut harness);
    choose(&mut harness, "Type", "P");
    enter(&mut harness, "Bandwidth, rad/s", "5");
    wait(&mut harness);
    near(suggestion(harness.state()).expect("a suggestion").own.p, 5.0);
    harness.get_by_label("A P controller cannot have this phase margin at this bandwidth");
    click(&mut harness, "Automatic");
    assert_eq!(harness.state().open().panels.tuner.bandwidth, None);
}

/// The pulse transfer function of an integrator behind a hold is T/(z − 1); at ω its gain is T/(2·sin(ωT/2)).
#[test]
fn a_discrete_block_sees_its_samples() {
    let mut harness = tuner(looped(("Discrete", "Discrete PID Controller"), &[("Sample Time", "0.1")], integrator()));
    wait(&mut harness);
    harness.get_by_label("Every 0.1 s");
    choose(&mut harness, "Type", "P");
    enter(&mut harness, "Bandwidth, rad/s", "3");
    wait(&mut harness);
    near(suggestion(harness.state()).expect("a suggestion").own.p, 2.0 * 0.15f64.sin() / 0.1);
}

#[test]
fn the_sliders_move_the_gains() {
    let mut harness = tuner(continuous(&[("P", "1"), ("I", "2-1"), ("D", "0")]));
    wait(&mut harness);
    harness.get_by_label("I is the expression “2-1”; Apply replaces it by a number");
    let before = suggestion(harness.state()).expect("a suggestion").own;
    for label in ["Bandwidth", "Phase margin"] {
        let slider = harness.get_by_role_and_label(Role::Slider, label).rect();
        harness.hover_at(slider.center());
        harness.drag_at(slider.center());
        harness.hover_at(slider.right_center() - eframe::egui::vec2(20.0, 0.0));
        harness.run_ok();
        harness.drop_at(slider.right_center() - eframe::egui::vec2(20.0, 0.0));
        harness.run_ok();
        wait(&mut harness);
    }
    let panel = &harness.state().open().panels.tuner;
    let (bandwidth, margin) = (panel.bandwidth.expect("a chosen bandwidth"), panel.margin);
    assert!(bandwidth > 1.0 && margin > 60.0 && margin < 90.0, "{bandwidth} {margin}");
    let after = suggestion(harness.state()).expect("a suggestion").own;
    near(after.p, bandwidth * margin.to_radians().sin());
    assert!(after != before);
    // Nothing is written before Apply.
    assert_eq!(option(harness.state(), "P"), Some(1.0));
}

/// The plant 1/(s + 1)³ has the ultimate gain 8 at √3 rad/s: P = 4.8 by Ziegler and Nichols.
#[test]
fn a_rule_with_a_name_needs_no_sliders() {
    let plant = Block::new(BlockId(3), BlockKind::library("Continuous", "Transfer Function"))
        .with_option("Numerator", &["1"])
        .with_option("Denominator", &["1", "3", "3", "1"]);
    let mut harness = tuner(looped(("Continuous", "PID Controller"), &[("D", "0.1")], plant));
    wait(&mut harness);
    choose(&mut harness, "Rule", "Ziegler–Nichols, frequency response");
    assert_eq!(harness.state().open().panels.tuner.rule, Rule::ZieglerNichols);
    wait(&mut harness);
    near(suggestion(harness.state()).expect("a suggestion").own.p, 4.8);
    let slider = harness.get_by_role_and_label(Role::Slider, "Phase margin");
    assert!(egui_kittest::kittest::NodeT::accesskit_node(&slider).is_disabled());
    // It reads a dead time off the step response, which this plant has, but a P block alone is not among AMIGO's.
    choose(&mut harness, "Rule", "AMIGO");
    harness.state_mut().open_mut().panels.tuner.kind = Some(Kind::P);
    until(&mut harness, "an error", |app| matches!(app.open().lab.tuner.suggestion, Some(Err(_))));
    harness.run_ok();
    harness.get_by_label("No gains by this rule");
}

#[test]
fn the_context_menu_and_the_inspector_open_it() {
    let mut harness = window();
    show(&mut harness, continuous(&[]));
    until(&mut harness, "the check", |app| app.open().program.is_some());
    harness.state_mut().open_mut().canvas.select(Selection::of_block(BlockId(PID.into())));
    harness.run_ok();
    assert!(harness.query_by_role_and_label(Role::Slider, "Bandwidth").is_none());
    click(&mut harness, "Tune…");
    wait(&mut harness);
    harness.get_by_role_and_label(Role::Slider, "Bandwidth");
    // A gain has no such button.
    harness.state_mut().open_mut().canvas.select(Selection::of_block(BlockId(1)));
    harness.run_ok();
    assert!(harness.query_by_label("Tune…").is_none());
    assert!(harness.state().open().panels.tuner.block().is_some(), "the tuner stays with its block");
    let at = harness.get_by_label("Block PID Controller #2").rect().center();
    click_at(&mut harness, at, PointerButton::Secondary);
    // The click has selected the block, so that the inspector has its button too.
    assert_eq!(harness.query_all_by_label("Tune…").count(), 2);
}

#[test]
fn what_cannot_be_tuned_says_why() {
    // No PID block at all.
    let harness = tuner(super::gain_chain());
    harness.get_by_label("No PID block");
    // Two of them: the panel asks which.
    let mut simulation = continuous(&[]);
    let model = simulation.model_mut("Main").expect("the model");
    let mut second = Block::new(BlockId(7), BlockKind::library("Continuous", "PID Controller")).at(0.0, 200.0);
    second.attributes.set("label", "Second");
    model.add_block(second);
    let mut harness = tuner(simulation);
    harness.get_by_label("No PID block selected");
    harness.get_by_role_and_label(Role::Button, "Second").click();
    harness.run_ok();
    until(&mut harness, "an answer", |app| matches!(app.open().lab.tuner.of, Some(Err(_))));
    harness.run_ok();
    harness.get_by_label("This block cannot be tuned");
    harness.get_by_label_contains("The input “Error” of the block is not connected");
    // The loop of the other is all right.
    harness.state_mut().open_mut().canvas.select(Selection::of_block(BlockId(PID.into())));
    harness.run_ok();
    wait(&mut harness);
    assert!(harness.query_by_label("This block cannot be tuned").is_none());
}

/// x' = u² has no gain at u = 0. With P = 2 the error is 1/(1 + 4·t) after the step of the set point, and the gain 2·u = 4
/// times that: after one second 0.8, so that P is ω/0.8.
#[test]
fn the_operating_point_can_be_the_shown_step() {
    let mut simulation = continuous(&[("P", "2"), ("I", "0"), ("D", "0")]);
    simulation.steps = 200;
    let model = simulation.model_mut("Main").expect("the model");
    let square = Block::new(BlockId(8), BlockKind::library("Math", "Product"));
    model.add_block(square.with_option("Operations", &["**"]).at(360.0, 0.0));
    for (from, to, input) in [(PID, 8, "Input 1"), (PID, 8, "Input 2"), (8, 3, "Input")] {
        model.connect(Connection::new(BlockId(from.into()), "Output", BlockId(to), input));
    }
    let mut harness = tuner(simulation);
    until(&mut harness, "an answer", |app| matches!(app.open().lab.tuner.of, Some(Err(_))));
    harness.run_ok();
    harness.get_by_label_contains("linearize at another step");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    choose(&mut harness, "Linearize", "At the shown step");
    assert_eq!(harness.state().open().panels.tuner.point, Point::Step);
    wait(&mut harness);
    enter(&mut harness, "Bandwidth, rad/s", "1");
    wait(&mut harness);
    let p = suggestion(harness.state()).expect("a suggestion").own.p;
    assert!((p - 1.25).abs() < 0.05, "{p}");
}
