//! The rows of the inspector: their columns, their menu, and dragged labels.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Rect, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::action::command::{Command, EditCommand, Panel};
use simulate::app::doc::dashboard::{Binding, ParamKey, WidgetKind, pinned};
use simulate::model::{Block, BlockId, BlockKind, Variable};

use super::panels::{nested, select, simulation_of, type_into};
use super::{Opened as _, Window, gain_chain, gain_of, show, window};

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

fn undo(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
}

/// A pendulum whose variables have units of all lengths, a name of one letter, and an expression.
fn with_variables() -> Window {
    let mut simulation = gain_chain();
    let variable = |value: &str, unit: &str| {
        let mut variable = Variable::new(value);
        variable.attributes.put("unit", Some(unit));
        variable
    };
    simulation.set_variable("l", variable("0.3", "m"));
    simulation.set_variable("I", variable("0.006", "kg*m^2"));
    simulation.set_variable("m", variable("l*2", ""));
    let mut harness = window();
    show(&mut harness, simulation);
    harness
}

fn field(harness: &Window, label: &str) -> Rect {
    harness.get_by_role_and_label(Role::TextInput, label).rect()
}

#[test]
fn rows_stand_in_four_columns() {
    let harness = with_variables();
    let fields = ["l", "I", "m", "Steps", "Step length"].map(|row| field(&harness, row));
    for other in &fields[1..] {
        assert!((other.left() - fields[0].left()).abs() < 0.6, "{fields:?}");
        assert!((other.right() - fields[0].right()).abs() < 0.6, "{fields:?}");
    }
    let units = ["m", "kg·m²"].map(|unit| harness.get_by_role_and_label(Role::Label, unit).rect());
    assert_eq!(units[0].left(), units[1].left());
    let actions = ["l", "I", "m"].map(|name| harness.get_by_label(&format!("About {name}")).rect());
    assert!(actions.iter().all(|action| action.left() == actions[0].left()));
    assert!(fields[0].right() < units[0].left() && units[0].right() < actions[0].left() + 0.6, "in this order");
}

#[test]
fn the_label_of_a_variable_is_dragged_in_one_change() {
    let mut harness = with_variables();
    let value = |harness: &Window, name: &str| simulation_of(harness.state()).variables[name].value.to_string();
    let drag = |harness: &mut Window, name: &str, by: f32| {
        let from = harness.get_by_label(&format!("Adjust {name}")).rect().center();
        harness.drag_at(from);
        harness.step();
        harness.hover_at(from + vec2(by / 2.0, 0.0));
        harness.step();
        harness.hover_at(from + vec2(by, 0.0));
        harness.step();
        harness.drop_at(from + vec2(by, 0.0));
        harness.run_ok();
    };
    // A hundred points are a unit of the first digit.
    drag(&mut harness, "l", 100.0);
    assert_eq!(value(&harness, "l"), "0.4");
    undo(&mut harness);
    assert_eq!(value(&harness, "l"), "0.3");
    assert!(harness.query_by_label("Adjust m").is_none(), "an expression cannot be dragged");
}

#[test]
fn the_menu_of_a_row_adds_sliders_and_sweeps() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    let gain = || Some(Binding::Param(ParamKey::new(&[], BlockId(1), "Gain")));
    click(&mut harness, "Actions for Gain");
    click(&mut harness, "Slider on the dashboard");
    let widgets = harness.state().open().derived.dashboard().widgets.clone();
    assert_eq!((widgets.len(), widgets[0].kind, &widgets[0].binding), (1, WidgetKind::Slider, &gain()));
    assert_eq!((widgets[0].low, widgets[0].high), (0.0, 4.0), "twice the value");
    assert!(harness.state().window.layout.is_shown(Panel::Dashboard));
    undo(&mut harness);
    assert!(harness.state().open().derived.dashboard().widgets.is_empty());
    click(&mut harness, "Actions for Gain");
    click(&mut harness, "Slider on the diagram");
    let simulation = simulation_of(harness.state()).clone();
    let block = simulation.model("Main").and_then(|model| model.block(BlockId(1))).expect("the gain");
    let below = pinned(block, &[], &simulation, &harness.state().blocks.registry);
    assert_eq!((below.len(), &below[0].binding), (1, &gain()));
    click(&mut harness, "Actions for Gain");
    click(&mut harness, "Sweep…");
    assert!(harness.state().window.layout.is_shown(Panel::Sweep));
    assert_eq!(harness.state().open().panels.sweep.vary(), ["#1.Gain=1:3:21"]);
    // It is there once, however often it is asked for.
    click(&mut harness, "Actions for Gain");
    click(&mut harness, "Sweep…");
    assert_eq!(harness.state().open().panels.sweep.vary().len(), 1);
}

#[test]
fn a_value_goes_back_to_its_default_by_the_menu_of_its_row() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    click(&mut harness, "Actions for Gain");
    click(&mut harness, "Reset Gain");
    assert!(gain_of(harness.state()).is_empty());
    undo(&mut harness);
    assert_eq!(gain_of(harness.state()), ["2"]);
}

/// A parameter of several blocks is set in all of them, but a slider turns one value.
#[test]
fn rows_of_several_blocks_offer_no_slider() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(
        Block::new(BlockId(7), BlockKind::library("Math", "Gain")).with_option("Gain", &["2"]).at(0.0, 90.0),
    );
    show(&mut harness, simulation);
    select(&mut harness, &[1, 7]);
    assert!(harness.query_by_label("Actions for Gain").is_none());
    harness.get_by_label("Reset Gain");
}

#[test]
fn a_value_of_an_instance_is_swept_by_its_path() {
    let mut harness = window();
    let mut simulation = nested();
    simulation.model_mut("Inner").expect("it").set_variable("mass", Variable::new("4"));
    show(&mut harness, simulation);
    select(&mut harness, &[1]);
    click(&mut harness, "Actions for mass");
    click(&mut harness, "Sweep…");
    let vary = harness.state().open().panels.sweep.vary();
    assert_eq!(vary, ["#1.mass=2:6:21"]);
    let (simulation, registry) = (simulation_of(harness.state()), &harness.state().blocks.registry);
    let set = simulate::engine::Override::parse("#1.mass=2", simulation, registry);
    assert!(set.is_ok(), "the sweep can set it: {:?}", set.err());
}

#[test]
fn the_formula_is_behind_the_sign_for_help() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    assert!(harness.query_by_label("y = k·u").is_none());
    click(&mut harness, "About this block");
    harness.get_by_label("y = k·u");
    select(&mut harness, &[0]);
    assert!(harness.query_by_label("Help on this block").is_some(), "it stays open for the next block");
    click(&mut harness, "About this block");
    assert!(harness.query_by_label("Help on this block").is_none());
}

#[test]
fn a_variable_is_renamed_with_its_uses_in_one_change() {
    let mut harness = with_variables();
    click(&mut harness, "About l");
    type_into(&mut harness, "Name of l", "arm");
    harness.key_press(Key::Enter);
    harness.run_ok();
    let value = |harness: &Window, name: &str| simulation_of(harness.state()).variables[name].value.to_string();
    assert_eq!((value(&harness, "arm"), value(&harness, "m")), ("0.3".to_owned(), "arm*2".to_owned()));
    undo(&mut harness);
    assert_eq!((value(&harness, "l"), value(&harness, "m")), ("0.3".to_owned(), "l*2".to_owned()));
}

/// A comma that may be a decimal one or a separator is neither guessed nor lost.
#[test]
fn a_doubtful_comma_is_asked_about() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    type_into(&mut harness, "Gain", "1,5");
    harness.get_by_label("“1,5” can be 1.5, or the values 1 and 5: write one of them");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["2"], "nothing is guessed");
    let field = harness.get_by_role_and_label(Role::TextInput, "Gain");
    assert_eq!(field.accesskit_node().value().as_deref(), Some("1,5"), "nothing is lost");
    field.focus();
    harness.run_ok();
    click(&mut harness, "Use 1.5");
    assert_eq!(gain_of(harness.state()), ["1.5"]);
    // What is certain is taken.
    for (text, expected) in [("1,5 2,5", vec!["1.5", "2.5"]), ("1, 2", vec!["1", "2"]), ("4.7k", vec!["4700"])] {
        type_into(&mut harness, "Gain", text);
        harness.key_press(Key::Enter);
        harness.run_ok();
        assert_eq!(gain_of(harness.state()), expected, "{text}");
    }
}

#[test]
fn the_fields_of_the_simulation_understand_the_same_numbers() {
    let mut harness = with_variables();
    for (label, text) in [("Steps", "10,000"), ("Step length", "0,25"), ("l", "1,5"), ("I", "4.7µ")] {
        type_into(&mut harness, label, text);
        harness.key_press(Key::Enter);
        harness.run_ok();
    }
    let simulation = simulation_of(harness.state());
    assert_eq!((simulation.steps, simulation.delta), (10_000, 0.25));
    assert_eq!((&*simulation.variables["l"].value, &*simulation.variables["I"].value), ("1.5", "4.7e-6"));
    // Half a step is refused: 1,5 is not 15.
    type_into(&mut harness, "Steps", "1,5");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(simulation_of(harness.state()).steps, 10_000);
}
