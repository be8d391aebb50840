//! Keyboard control of the diagram.

use eframe::egui::{Event, Key, Modifiers};
use simulate::app::action::diagram_command::DiagramCommand;
use simulate::app::canvas::Selection;
use simulate::model::BlockId;

use super::bench::{harness, library, selected, simulation};
use super::insert::perform;

type Harness = egui_kittest::Harness<'static, super::bench::Bench>;

fn focused() -> Harness {
    let mut harness = harness(simulation());
    perform(&mut harness, DiagramCommand::Focus);
    harness
}

fn press(harness: &mut Harness, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_steps(3);
}

#[test]
fn tab_walks_as_one_reads_and_arrows_with_ctrl_to_neighbours() {
    let mut harness = focused();
    let mut seen = Vec::new();
    for _ in 0..7 {
        press(&mut harness, Modifiers::NONE, Key::Tab);
        seen.extend(selected(&harness));
    }
    assert_eq!(seen, [0, 2, 1, 3, 5, 4, 0], "and begins again");
    press(&mut harness, Modifiers::SHIFT, Key::Tab);
    assert_eq!(selected(&harness), [4]);
    press(&mut harness, Modifiers::COMMAND, Key::ArrowLeft);
    assert_eq!(selected(&harness), [3]);
    press(&mut harness, Modifiers::COMMAND, Key::ArrowUp);
    assert_eq!(selected(&harness), [1]);
    press(&mut harness, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(harness.state().position(1).y, 10.0);
    assert_eq!(harness.state().labels, ["Move Gain"]);
}

#[test]
fn a_wire_is_drawn_by_keys() {
    let mut harness = focused();
    press(&mut harness, Modifiers::NONE, Key::Tab);
    press(&mut harness, Modifiers::NONE, Key::Tab);
    assert_eq!(selected(&harness), [2]);
    perform(&mut harness, DiagramCommand::WireByKeys);
    // The nearest unconnected input is that of the next block.
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.state().labels, ["Connect Gain to Abs"]);
    assert_eq!(harness.state().model().source(BlockId(3), "Input").map(|wire| wire.from), Some(BlockId(2)));
    assert_eq!(selected(&harness), [2]);
    // Also backwards from the block's input.
    perform(&mut harness, DiagramCommand::WireByKeys);
    press(&mut harness, Modifiers::NONE, Key::ArrowRight);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(harness.state().model().source(BlockId(2), "Input").is_some());
    assert!(harness.state().errors.is_empty());
}

#[test]
fn escape_gives_up_step_by_step() {
    let mut harness = focused();
    press(&mut harness, Modifiers::NONE, Key::Tab);
    perform(&mut harness, DiagramCommand::WireByKeys);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert_eq!(selected(&harness), [0], "the wire is given up first");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.state().canvas.selection().is_empty());
    assert!(harness.ctx.memory(|memory| memory.focused().is_some()));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.ctx.memory(|memory| memory.focused().is_none()), "Tab walks through the window again");
    assert!(harness.state().labels.is_empty());
}

#[test]
fn enter_opens_and_escape_leaves() {
    let mut harness = focused();
    press(&mut harness, Modifiers::SHIFT, Key::Tab);
    assert_eq!(selected(&harness), [4]);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.state().canvas.path(), [BlockId(4)]);
    perform(&mut harness, DiagramCommand::Focus);
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.state().canvas.path().is_empty());
    assert_eq!(selected(&harness), [4], "the model that was left is where one goes on");
}

/// Enter opens the value, Tab moves to the next one of the changed block.
#[test]
fn values_are_typed_one_after_the_other() {
    let mut given = simulation();
    let main = given.model_mut("Main").expect("the root");
    main.add_block(library(9, "Continuous", "PID Controller").at(0.0, 300.0));
    let mut harness = harness(given);
    perform(&mut harness, DiagramCommand::Focus);
    let pid = |harness: &Harness, name: &str| {
        let block = harness.state().model().block(BlockId(9)).expect("the block").clone();
        block.option_texts(name).map(|texts| texts.join(" "))
    };
    let pid_alone = Selection { blocks: [BlockId(9)].into(), ..Selection::default() };
    harness.state_mut().canvas.select(pid_alone);
    press(&mut harness, Modifiers::NONE, Key::Enter);
    harness.run_steps(3);
    for (key, text) in [(Key::Tab, "100"), (Key::Tab, "200"), (Key::Enter, "10")] {
        harness.event(Event::Text(text.into()));
        harness.run_steps(2);
        press(&mut harness, Modifiers::NONE, key);
    }
    let values = ["P", "I", "D", "Filter Coefficient"].map(|name| pid(&harness, name));
    assert_eq!(values, [Some("100".into()), Some("200".into()), Some("10".into()), None]);
    assert_eq!(selected(&harness), [9], "and the diagram has the keys again");
    // Before the first comes the last; Escape discards the text and keeps the block selected.
    press(&mut harness, Modifiers::NONE, Key::Enter);
    press(&mut harness, Modifiers::SHIFT, Key::Tab);
    harness.event(Event::Text("7".into()));
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert_eq!((harness.state().labels.len(), selected(&harness)), (3, vec![9]));
    press(&mut harness, Modifiers::NONE, Key::Tab);
    assert_ne!(selected(&harness), [9]);
}
