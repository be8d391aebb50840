//! The panel Problems: what a problem says, the buttons that mend it, and advice.

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, Panel};
use simulate::model::{Block, BlockId, BlockKind, Model, Simulation};

use super::panels::{searched, simulation_of};
use super::{Opened as _, Window, gain_chain, show, until, window};

fn show_problems(harness: &mut Window, simulation: Simulation) {
    show(harness, simulation);
    until(harness, "the check", |app| !app.open().diagnostics.all().is_empty());
    harness.state_mut().window.layout.show(Panel::Problems);
    harness.run_ok();
}

/// A parameter that names a variable that does not exist: the button creates it, and undo takes it back.
#[test]
fn a_button_creates_the_variable_that_is_missing() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    model.block_mut(BlockId(1)).expect("the gain").set_option("Gain", Some(&["2 * kk"]));
    show_problems(&mut harness, simulation);
    harness.get_by_label_contains("Create variable kk: ").click();
    until(&mut harness, "the check", |app| app.open().diagnostics.errors().is_empty());
    let has_it = |harness: &Window| {
        simulation_of(harness.state()).model("Main").is_some_and(|model| model.variables.contains_key("kk"))
    };
    assert!(has_it(&harness));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    until(&mut harness, "the check", |app| !app.open().diagnostics.errors().is_empty());
    assert!(!has_it(&harness));
}

/// Where there are several ways, the button has a menu of them.
#[test]
fn an_open_input_is_connected_from_the_list_of_problems() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(9), BlockKind::library("Math", "Gain")).at(130.0, 90.0));
    show_problems(&mut harness, simulation);
    harness.get_by_label("Connect to…").click();
    harness.run_ok();
    // Gain #1 is the nearest block.
    harness.get_by_label_contains("Connect Output of Gain #1").click();
    harness.run_ok();
    let root = simulation_of(harness.state()).root_model().expect("a root");
    assert_eq!(root.source(BlockId(9), "Input").map(|wire| wire.from), Some(BlockId(1)));
}

#[test]
fn advice_puts_0_on_an_open_input() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(9), BlockKind::library("Math", "Gain")).at(200.0, 90.0));
    simulation.add_model(Model::new("Forgotten"));
    show(&mut harness, simulation);
    harness.state_mut().window.layout.show(Panel::Problems);
    harness.run_ok();
    harness.get_by_label("Advice").click();
    harness.run_ok();
    searched(&mut harness);
    harness.get_by_label("Connect 0: Input Input of Gain #9 is not connected").click();
    harness.run_ok();
    searched(&mut harness);
    let root = simulation_of(harness.state()).root_model().expect("a root");
    assert!(root.source(BlockId(9), "Input").is_some());
    harness.get_by_label("Remove: The model Forgotten is not used").click();
    harness.run_ok();
    searched(&mut harness);
    assert!(simulation_of(harness.state()).model("Forgotten").is_none());
    harness.get_by_label("Delete: No output of Gain #9 is connected").click();
    harness.run_ok();
    assert!(simulation_of(harness.state()).root_model().is_some_and(|root| root.block(BlockId(9)).is_none()));
}

/// The tooltip of a problem has what the catalogue says about its code.
#[test]
fn a_problem_is_explained() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(9), BlockKind::library("Math", "Gian")).at(200.0, 90.0));
    show_problems(&mut harness, simulation);
    let explained = "The library has no block of this group and name.";
    assert!(harness.query_by_label_contains(explained).is_none());
    harness.get_by_label("There is no block Math/Gian in the library").hover();
    for _ in 0..60 {
        harness.step();
    }
    assert!(harness.query_by_label_contains(explained).is_some(), "the tooltip is there");
}

#[test]
fn a_wire_that_is_almost_straight_is_straightened() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the root");
    let exit = model.block_mut(BlockId(2)).expect("the exit");
    exit.set_position(simulate::model::Position { x: 240.0, y: 6.0 });
    show(&mut harness, simulation);
    harness.state_mut().window.layout.show(Panel::Problems);
    harness.run_ok();
    harness.get_by_label("Advice").click();
    harness.run_ok();
    searched(&mut harness);
    let label = "Straighten: Move";
    let before = harness.query_all_by_label_contains(label).count();
    assert!(before > 0);
    harness.get_all_by_label_contains(label).next().expect("advice").click();
    harness.run_ok();
    searched(&mut harness);
    assert!(harness.query_all_by_label_contains(label).count() < before, "one is gone, none has come");
}
