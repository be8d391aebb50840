//! Find and replace: a preview of all places, and one change.

use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand};
use simulate::model::{Block, BlockId, BlockKind, Simulation, Variable};

use super::panels::{nested, simulation_of, type_into};
use super::{Window, gain_chain, show, window};

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// The panel with these texts typed.
fn replacing(simulation: Simulation, find: &str, with: &str) -> Window {
    let mut harness = window();
    show(&mut harness, simulation);
    harness.key_press_modifiers(Modifiers::COMMAND.plus(Modifiers::ALT), Key::F);
    harness.run_ok();
    harness.event(eframe::egui::Event::Text(find.to_owned()));
    harness.run_ok();
    type_into(&mut harness, "Replace with", with);
    harness
}

fn option(simulation: &Simulation, model: &str, id: u64, name: &str) -> String {
    let block = simulation.model(model).and_then(|model| model.block(BlockId(id.into()))).expect("the block");
    block.option_texts(name).unwrap_or_default().join("|")
}

fn with_speeds() -> Simulation {
    let mut simulation = nested();
    simulation.set_variable("speed", Variable::new("3"));
    let inner = simulation.model_mut("Inner").expect("it");
    let mut gain = Block::new(BlockId(5), BlockKind::library("Math", "Gain")).with_option("Gain", &["2*speed"]);
    gain.attributes.put("label", Some("Speed limit"));
    inner.add_block(gain.at(0.0, 90.0));
    inner.add_block(Block::new(BlockId(6), BlockKind::entry("speedy")).at(0.0, 180.0));
    simulation
}

#[test]
fn a_text_is_replaced_in_all_chosen_places_in_one_change() {
    let mut harness = replacing(with_speeds(), "speed", "rate");
    for row in [
        "Variable speed: speed becomes rate",
        "Label Speed limit #5: Speed limit becomes rate limit",
        "Value Speed limit #5: Gain = 2*speed becomes Gain = 2*rate",
        "Port speedy #6: speedy becomes ratey",
    ] {
        harness.get_by_label(row);
    }
    // The row may be below the end of the panel.
    harness.get_by_label("Choose Port speedy #6: speedy becomes ratey").click_accesskit();
    harness.run_ok();
    click(&mut harness, "Replace 3");
    let simulation = simulation_of(harness.state()).clone();
    assert!(simulation.variables.contains_key("rate") && !simulation.variables.contains_key("speed"));
    assert_eq!(option(&simulation, "Inner", 5, "Gain"), "2*rate");
    let block = |id: u64| simulation.model("Inner").and_then(|model| model.block(BlockId(id.into()))).expect("it");
    assert_eq!((block(5).title(), block(6).title()), ("rate limit", "speedy"));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert!(!harness.state().is_unsaved(), "it is one change");
}

#[test]
fn case_and_whole_words_are_kept_apart() {
    let mut harness = replacing(with_speeds(), "speed", "rate");
    click(&mut harness, "Match case");
    click(&mut harness, "Whole words");
    assert!(harness.query_by_label_contains("Label Speed limit").is_none());
    assert!(harness.query_by_label_contains("Port speedy").is_none());
    // The uses of the variable are renamed with it, whatever the places.
    click(&mut harness, "Values and texts");
    click(&mut harness, "Replace 1");
    assert_eq!(option(simulation_of(harness.state()), "Inner", 5, "Gain"), "2*rate");
}

#[test]
fn a_model_is_renamed_with_its_instances_and_a_taken_name_is_refused() {
    let mut harness = replacing(nested(), "Inner", "Core");
    click(&mut harness, "Replace 1");
    let simulation = simulation_of(harness.state());
    assert!(simulation.model("Core").is_some() && simulation.model("Inner").is_none());
    let root = simulation.root_model().expect("the root");
    assert!(root.blocks.values().all(|block| block.kind == BlockKind::model("Core")));
    let harness = replacing(nested(), "Inner", "Main");
    harness.get_by_label("Replace 0");
    harness.get_by_label("Model Inner: Inner becomes Main");
}

#[test]
fn types_of_blocks_are_replaced_with_their_wires() {
    let mut harness = replacing(gain_chain(), "gain", "Integrator");
    click(&mut harness, "Names");
    click(&mut harness, "Values and texts");
    click(&mut harness, "Block types");
    harness.get_by_label("Type Gain #1: Gain becomes Integrator");
    click(&mut harness, "Replace 1");
    let simulation = simulation_of(harness.state());
    let root = simulation.root_model().expect("the root");
    assert_eq!(root.block(BlockId(1)).map(|block| block.kind.title()), Some("Integrator"));
    assert_eq!(root.connections.len(), 2, "the wires stay");
    type_into(&mut harness, "Replace with", "Nothing of that name");
    assert!(harness.query_by_label_contains("Type Gain").is_none(), "there is no such block any more");
}

/// A text that is not a value is shown, and the old value stays.
#[test]
fn a_value_that_would_be_none_is_refused() {
    let mut harness = replacing(with_speeds(), "2*", "2*/");
    harness.get_by_label("Replace 0");
    harness.get_by_label("Value Speed limit #5: Gain = 2*speed becomes Gain = 2*/speed");
    type_into(&mut harness, "Replace with", "3*");
    click(&mut harness, "Replace 1");
    assert_eq!(option(simulation_of(harness.state()), "Inner", 5, "Gain"), "3*speed");
}
