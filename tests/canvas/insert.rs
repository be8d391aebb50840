//! Inserting, removing and replacing blocks, with their wires.

use std::sync::Arc;

use eframe::egui::{self, vec2};
use egui_kittest::Harness;
use simulate::app::action::diagram_command::DiagramCommand;
use simulate::app::canvas::{DocumentView, Selection};
use simulate::block::Registry;
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Simulation};

use super::bench::{Bench, at, click, double_click, drag, harness, library, place, selected, simulation};

/// Makes a change through the canvas, as a command of the window does, and applies it.
pub fn change(harness: &mut Harness<Bench>, make: impl FnOnce(&mut Bench, &DocumentView) -> Option<Change>) -> bool {
    let simulation = Arc::clone(harness.state().document.simulation());
    let registry = Registry::standard();
    let view = DocumentView { simulation: &simulation, registry: &registry };
    let change = make(harness.state_mut(), &view);
    if let Some(change) = &change {
        harness.state_mut().apply(change);
    }
    harness.run_steps(3);
    change.is_some()
}

pub fn perform(harness: &mut Harness<Bench>, command: DiagramCommand) -> bool {
    change(harness, |bench, view| bench.canvas.perform(view, command).changes.into_iter().next())
}

fn source(harness: &Harness<Bench>, block: u64, input: &str) -> Option<u64> {
    harness.state().model().source(BlockId(block.into()), input).map(|wire| wire.from.0 as u64)
}

fn delete(harness: &mut Harness<Bench>, label: &str) {
    let pos = at(harness, label);
    click(harness, pos);
    change(harness, |bench, _| bench.edit(|open| open.delete_selection()));
}

/// The model `Static #0 → Gain #1 → Abs #3 → Scope #5`.
fn chain() -> Simulation {
    let mut simulation = simulation();
    let main = simulation.model_mut("Main").expect("the root");
    let block = main.block_mut(BlockId(3)).expect("the block");
    block.set_position(simulate::model::Position { x: 300.0, y: 0.0 });
    let mut named = Connection::new(BlockId(1), "Output", BlockId(3), "Input");
    named.attributes.set("label", "speed");
    main.connect(named);
    main.connect(Connection::new(BlockId(3), "Output", BlockId(5), "Input 1"));
    simulation
}

#[test]
fn deleting_a_block_closes_the_wire_through_it() {
    let mut harness = harness(chain());
    delete(&mut harness, "Block Abs #3");
    assert_eq!(harness.state().labels, ["Delete Abs"]);
    assert_eq!(source(&harness, 5, "Input 1"), Some(1));
    let wire = harness.state().model().source(BlockId(5), "Input 1").cloned().expect("a wire");
    assert_eq!(wire.attributes.get("label"), Some("speed"), "it carries the signal of its source");
}

#[test]
fn deleting_several_closes_the_wire_through_all() {
    let mut harness = harness(chain());
    let pos = at(&harness, "Block Gain #1");
    click(&mut harness, pos);
    let pos = at(&harness, "Block Abs #3");
    super::bench::click_with(&mut harness, pos, egui::Modifiers::SHIFT);
    change(&mut harness, |bench, _| bench.edit(|open| open.delete_selection()));
    assert_eq!(source(&harness, 5, "Input 1"), Some(0));
}

#[test]
fn no_wire_closes_where_that_would_be_a_loop_without_state() {
    let mut simulation = Simulation::new("Main");
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(library(0, "Math", "Gain").at(0.0, 0.0));
    main.add_block(library(1, "Math", "Integrate").at(200.0, 0.0));
    main.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    main.connect(Connection::new(BlockId(1), "Output", BlockId(0), "Input"));
    let mut harness = harness(simulation);
    delete(&mut harness, "Block Integrate #1");
    assert_eq!((harness.state().model().blocks.len(), harness.state().model().connections.len()), (1, 0));
    assert!(harness.state().errors.is_empty());
}

#[test]
fn a_block_let_go_near_ports_is_connected_to_them() {
    let mut harness = harness(simulation());
    let from = at(&harness, "Block Abs #3");
    let way = place(&harness, 300.0, 0.0) - place(&harness, 200.0, 160.0);
    drag(&mut harness, from, from + way);
    assert_eq!(harness.state().labels, ["Move Abs"], "one step to undo");
    assert_eq!(source(&harness, 3, "Input"), Some(1));
    assert_eq!(source(&harness, 5, "Input 1"), Some(3));
    harness.state_mut().document.undo();
    assert_eq!(source(&harness, 3, "Input"), None);
}

#[test]
fn a_block_is_replaced_in_its_place_with_its_wires_and_equal_parameters() {
    let mut simulation = chain();
    let main = simulation.model_mut("Main").expect("the root");
    main.block_mut(BlockId(1)).expect("the block").set_option("Gain", Some(&["7"]));
    let mut harness = harness(simulation);
    let pos = at(&harness, "Block Gain #1");
    click(&mut harness, pos);
    let seq = harness.state().model().block(BlockId(1)).expect("the block").seq;
    assert!(change(&mut harness, |bench, _| {
        bench.edit(|open| open.replace_block(BlockKind::library("Math", "Integrate").into()))
    }));
    assert_eq!(harness.state().labels, ["Replace Gain by Integrate"]);
    let block = harness.state().model().block(BlockId(1)).cloned().expect("the block");
    assert_eq!((block.title(), block.seq), ("Integrate", seq));
    assert!(block.option("Gain").is_none());
    assert_eq!((source(&harness, 1, "Input"), source(&harness, 3, "Input")), (Some(0), Some(1)));
    harness.state_mut().document.undo();
    harness.run_steps(2);
    // Ports with other names take the wires by their index.
    assert!(change(&mut harness, |bench, _| {
        bench.edit(|open| open.replace_block(BlockKind::library("Math", "Multiply").into()))
    }));
    assert_eq!(source(&harness, 1, "Multiplicand 1"), Some(0));
    let wire = harness.state().model().source(BlockId(3), "Input").cloned().expect("a wire");
    assert_eq!((wire.from.0, &*wire.output), (1, "Product"));
    assert_eq!(wire.attributes.get("label"), Some("speed"));
    assert!(harness.state().errors.is_empty(), "{:?}", harness.state().errors);
}

#[test]
fn a_double_click_on_a_wire_names_its_signal() {
    let mut harness = harness(chain());
    let pos = place(&harness, 130.0, 20.0);
    double_click(&mut harness, pos);
    harness.event(egui::Event::Text("command".to_owned()));
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    assert_eq!(harness.state().labels, ["Name signal command"]);
    assert_eq!(harness.state().model().signal_name(BlockId(0), "Output"), Some("command"));
    // A branch carries the name too.
    let (from, to) = (place(&harness, 130.0, 20.0), at(&harness, "Input Input of Gain #2"));
    drag(&mut harness, from, to);
    let wire = harness.state().model().source(BlockId(2), "Input").cloned().expect("a branch");
    assert_eq!(wire.attributes.get("label"), Some("command"));
}

#[test]
fn a_value_is_typed_on_the_block() {
    let mut harness = harness(simulation());
    let pos = at(&harness, "Block Gain #1");
    click(&mut harness, pos);
    perform(&mut harness, DiagramCommand::EditValue);
    harness.event(egui::Event::Text("2*".to_owned()));
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    // An invalid number is stored as typed; the check reports the error.
    let gain = |harness: &Harness<Bench>| {
        let block = harness.state().model().block(BlockId(1)).cloned().expect("the block");
        block.option_texts("Gain").map(|texts| texts.join(" "))
    };
    assert_eq!(gain(&harness).as_deref(), Some("2*"));
    perform(&mut harness, DiagramCommand::EditValue);
    harness.event(egui::Event::Text("2*3".to_owned()));
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(3);
    assert_eq!(harness.state().labels, ["Set Gain of Gain #1", "Set Gain of Gain #1"]);
    assert_eq!(gain(&harness).as_deref(), Some("2*3"));
}

#[test]
fn selected_blocks_are_connected_from_left_to_right() {
    let mut harness = harness(simulation());
    for label in ["Block Gain #2", "Block Abs #3"] {
        let pos = at(&harness, label);
        super::bench::click_with(&mut harness, pos, egui::Modifiers::SHIFT);
    }
    assert_eq!(selected(&harness), [2, 3]);
    assert!(perform(&mut harness, DiagramCommand::Connect));
    assert_eq!(source(&harness, 3, "Input"), Some(2));
    assert_eq!(harness.state().labels, ["Connect 2 blocks"]);
}

#[test]
fn a_wire_says_whose_place_it_takes() {
    let mut harness = harness(simulation());
    let (out, input) = (at(&harness, "Output Output of Gain #2"), at(&harness, "Input Input of Gain #1"));
    drag(&mut harness, out, input + vec2(-1.0, 0.0));
    assert_eq!(harness.state().labels, ["Connect Gain to Gain"]);
    assert_eq!(source(&harness, 1, "Input"), Some(2), "an input has one source");
}

/// Two blocks in the reverse order of their wire: what would close an algebraic loop is left out, the rest is done.
#[test]
fn connecting_leaves_out_what_would_close_a_loop() {
    let mut given = simulation();
    let main = given.model_mut("Main").expect("the root");
    for (id, x) in [(20, 0.0), (21, 100.0), (22, 200.0)] {
        main.add_block(library(id, "Math", if id == 20 { "Sum" } else { "Abs" }).at(x, 600.0));
    }
    main.connect(Connection::new(BlockId(21), "Output", BlockId(20), "Input 1"));
    let mut harness = harness(given);
    let ids = [20, 21, 22].map(BlockId).into();
    harness.state_mut().canvas.select(Selection { blocks: ids, ..Selection::default() });
    assert!(perform(&mut harness, DiagramCommand::Connect));
    assert_eq!((source(&harness, 21, "Input"), source(&harness, 22, "Input")), (None, Some(21)));
    assert!(harness.state().errors.is_empty());
}

/// A block without a counterpart gives its wires to a new model, and to a block whose ports a parameter counts.
#[test]
fn a_replaced_placeholder_keeps_each_of_its_wires() {
    let mut simulation = chain();
    let main = simulation.model_mut("Main").expect("the root");
    let lost = Block::placeholder(BlockId(9), "Weird", 3, 2).at(200.0, 200.0);
    main.add_block(lost);
    for number in 1..=3 {
        main.connect(Connection::new(BlockId(0), "Output", BlockId(9), &format!("Input {number}")));
    }
    main.add_block(Block::new(BlockId(10), BlockKind::library("Sink", "Terminator")).at(400.0, 200.0));
    main.connect(Connection::new(BlockId(9), "Output 2", BlockId(10), "Input"));
    let replaced = |kind: BlockKind| {
        let mut harness = harness(simulation.clone());
        assert!(change(&mut harness, |bench, _| {
            bench.canvas.go_to(Vec::new(), Some(BlockId(9)));
            bench.edit(|open| open.replace_block(kind.into()))
        }));
        assert!(harness.state().errors.is_empty(), "{:?}", harness.state().errors);
        harness
    };
    let harness = replaced(BlockKind::library("Math", "Sum"));
    assert_eq!([1, 2, 3].map(|number| source(&harness, 9, &format!("Input {number}"))), [Some(0); 3]);
    let harness = replaced(BlockKind::model(""));
    assert_eq!([1, 2, 3].map(|number| source(&harness, 9, &format!("Input {number}"))), [Some(0); 3]);
    let wire = harness.state().model().source(BlockId(10), "Input").cloned().expect("a wire");
    assert_eq!((wire.from.0, &*wire.output), (9, "Output 2"));
}
