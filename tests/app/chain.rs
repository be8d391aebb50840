//! Blocks inserted by typing: each continues the selection, is connected, and covers nothing.

use eframe::egui::{Event, Key, Modifiers};
use simulate::app::action::command::Command;
use simulate::app::action::diagram_command::DiagramCommand;
use simulate::app::canvas::Selection;
use simulate::model::{Block, BlockId, BlockKind, Connection, InputKey, Model, Simulation};

use super::{Opened as _, Window, gain_chain, show, window};

/// Types a text and a key, as a user does: one letter a frame.
fn type_block(harness: &mut Window, text: &str, modifiers: Modifiers) {
    for letter in text.chars() {
        harness.event(Event::Text(letter.to_string()));
        harness.run_ok();
    }
    harness.key_press_modifiers(modifiers, Key::Enter);
    harness.run_ok();
    harness.run_ok();
}

fn insert(harness: &mut Window, text: &str) {
    type_block(harness, text, Modifiers::NONE);
}

fn root(harness: &Window) -> Model {
    let file = harness.state().open();
    Model::clone(file.simulation().root_model().expect("the root"))
}

fn titles(harness: &Window) -> Vec<String> {
    root(harness).blocks.values().map(|block| block.title().to_owned()).collect()
}

/// The wires as `from>to.input`, sorted.
fn wires(harness: &Window) -> Vec<String> {
    let model = root(harness);
    let title = |id| model.block(id).expect("a block").title().to_owned();
    let mut wires: Vec<String> = model
        .connections
        .values()
        .map(|wire| format!("{}>{}.{}", title(wire.from), title(wire.to), wire.input))
        .collect();
    wires.sort();
    wires
}

fn select(harness: &mut Window, blocks: &[i128], wires: &[(i128, &str)]) {
    let blocks = blocks.iter().map(|id| BlockId(*id)).collect();
    let wires =
        wires.iter().map(|(block, input)| InputKey { block: BlockId(*block), input: (*input).into() }).collect();
    harness.state_mut().open_mut().canvas.select(Selection { blocks, wires });
    harness.state_mut().dispatch(Command::Diagram(DiagramCommand::Focus));
    harness.run_ok();
}

/// Asserts that no block with its title covers another.
fn assert_apart(harness: &Window) {
    let scene = harness.state().open().canvas.scene();
    let rooms: Vec<_> =
        scene.blocks().filter(|view| !view.is_area()).map(|view| (view.label(), view.outline.with_title())).collect();
    for (number, (label, room)) in rooms.iter().enumerate() {
        for (other, taken) in &rooms[number + 1..] {
            assert!(!room.shrink(0.5).intersects(*taken), "{label} at {room:?} covers {other} at {taken:?}");
        }
    }
}

/// The distance between the right edge of one block and the left edge of another.
fn gap(harness: &Window, from: &str, to: &str) -> f32 {
    let scene = harness.state().open().canvas.scene();
    let rect = |title: &str| {
        let view = scene.blocks().find(|view| view.block.title() == title).unwrap_or_else(|| panic!("no {title}"));
        view.outline.rect
    };
    rect(to).left() - rect(from).right()
}

#[test]
fn a_chain_is_drawn_by_names_alone() {
    let mut harness = window();
    show(&mut harness, Simulation::new("Main"));
    for name in ["step", "sum", "pid", "gain 2.5", "scope"] {
        insert(&mut harness, name);
    }
    assert_eq!(titles(&harness), ["Step", "Sum", "PID Controller", "Gain", "Scope"]);
    assert_eq!(
        wires(&harness),
        ["Gain>Scope.Input 1", "PID Controller>Gain.Input", "Step>Sum.Input 1", "Sum>PID Controller.Error"]
    );
    let gain = root(&harness).blocks.values().find(|block| block.title() == "Gain").cloned().expect("the gain");
    assert_eq!(gain.option_texts("Gain"), Some(vec!["2.5"]));
    for pair in ["Step", "Sum", "PID Controller", "Gain", "Scope"].windows(2) {
        assert_eq!(gap(&harness, pair[0], pair[1]), 40.0, "{pair:?}");
    }
    assert_apart(&harness);
    // Each block is one step of the history.
    (0..5).for_each(|_| harness.key_press_modifiers(Modifiers::COMMAND, Key::Z));
    harness.run_ok();
    assert_eq!(titles(&harness), Vec::<String>::new());
}

#[test]
fn digits_set_the_value_of_the_selected_block() {
    let mut harness = window();
    show(&mut harness, Simulation::new("Main"));
    insert(&mut harness, "gain");
    insert(&mut harness, "-12");
    insert(&mut harness, "scope");
    assert_eq!(titles(&harness), ["Gain", "Scope"]);
    let gain = root(&harness).blocks.values().next().cloned().expect("the gain");
    assert_eq!(gain.option_texts("Gain"), Some(vec!["-12"]));
}

/// The blocks after the new one are shifted; the rest of the diagram stays.
#[test]
fn a_block_in_line_shifts_the_rest_of_the_chain() {
    let mut harness = window();
    let mut simulation = gain_chain();
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(Block::new(BlockId(9), BlockKind::library("Math", "Abs")).at(120.0, 200.0));
    show(&mut harness, simulation);
    select(&mut harness, &[0], &[]);
    insert(&mut harness, "unit delay");
    assert_eq!(wires(&harness), ["Constant>Unit Delay.Input", "Gain>Result.Input", "Unit Delay>Gain.Input"]);
    assert_eq!(gap(&harness, "Constant", "Unit Delay"), 40.0);
    assert!((40.0..50.0).contains(&gap(&harness, "Unit Delay", "Gain")), "{}", gap(&harness, "Unit Delay", "Gain"));
    assert_apart(&harness);
    let untouched = root(&harness).block(BlockId(9)).and_then(|block| block.position()).expect("a position");
    assert_eq!((untouched.x, untouched.y), (120.0, 200.0));
}

#[test]
fn a_block_that_is_not_connected_to_the_line_makes_way() {
    let mut harness = window();
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(Block::new(BlockId(0), BlockKind::library("Var", "Static")).at(0.0, 0.0));
    model.add_block(Block::new(BlockId(1), BlockKind::library("Math", "Abs")).at(110.0, 0.0));
    model.add_block(Block::new(BlockId(2), BlockKind::library("Math", "Abs")).at(190.0, 10.0));
    show(&mut harness, simulation);
    select(&mut harness, &[0], &[]);
    insert(&mut harness, "pid");
    assert_eq!(wires(&harness), ["Constant>PID Controller.Error"]);
    assert_eq!(gap(&harness, "Constant", "PID Controller"), 40.0);
    assert_apart(&harness);
}

#[test]
fn a_sink_or_a_branch_goes_beside_the_line() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[0], &[]);
    insert(&mut harness, "scope");
    select(&mut harness, &[1], &[]);
    type_block(&mut harness, "derivative", Modifiers::SHIFT);
    let expected = ["Constant>Gain.Input", "Constant>Scope.Input 1", "Gain>Derivative.Input", "Gain>Result.Input"];
    assert_eq!(wires(&harness), expected);
    assert_apart(&harness);
    // A second sink after a sink shows the same signal; a source goes in front of what it feeds.
    let scope = root(&harness).blocks.values().find(|block| block.title() == "Scope").map(|block| block.id.0);
    select(&mut harness, &[scope.expect("the scope")], &[]);
    insert(&mut harness, "display");
    assert!(wires(&harness).iter().any(|wire| wire.starts_with("Constant>Display.")), "{:?}", wires(&harness));
    assert_apart(&harness);
}

#[test]
fn a_source_goes_in_front_of_the_free_input() {
    let mut harness = window();
    show(&mut harness, Simulation::new("Main"));
    for name in ["sum", "constant"] {
        insert(&mut harness, name);
    }
    select(&mut harness, &[0], &[]);
    insert(&mut harness, "step");
    assert_eq!(wires(&harness), ["Constant>Sum.Input 1", "Step>Sum.Input 2"]);
    assert_apart(&harness);
    assert_eq!(gap(&harness, "Constant", "Sum"), 40.0);
}

#[test]
fn several_wires_are_summed_or_bundled() {
    for (name, title) in [("sum", "Sum"), ("mux", "Mux"), ("bus creator", "Bus Creator"), ("scope", "Scope")] {
        let mut harness = window();
        let mut simulation = Simulation::new("Main");
        let model = simulation.model_mut("Main").expect("the model");
        for id in 0..4 {
            let y = 100.0 * id as f64;
            model.add_block(Block::new(BlockId(id), BlockKind::library("Var", "Static")).at(0.0, y));
            model.add_block(Block::new(BlockId(10 + id), BlockKind::library("Math", "Gain")).at(300.0, y));
            model.connect(Connection::new(BlockId(id), "Output", BlockId(10 + id), "Input"));
        }
        show(&mut harness, simulation);
        select(&mut harness, &[], &[(13, "Input"), (10, "Input"), (12, "Input"), (11, "Input")]);
        insert(&mut harness, name);
        let model = root(&harness);
        let new = model.blocks.values().find(|block| block.title() == title).expect(title);
        let mut sources: Vec<_> = model.connections.values().filter(|wire| wire.to == new.id).collect();
        sources.sort_by_key(|wire| wire.input.to_string());
        // From top to bottom.
        assert_eq!(sources.iter().map(|wire| wire.from.0).collect::<Vec<_>>(), [0, 1, 2, 3], "{title}");
        assert_apart(&harness);
    }
}

#[test]
fn a_block_goes_into_the_selected_wire_as_the_signal_runs() {
    let mut harness = window();
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(Block::new(BlockId(0), BlockKind::library("Continuous", "Integrator")).at(300.0, 0.0));
    model.add_block(Block::new(BlockId(1), BlockKind::library("Math", "Sum")).at(0.0, 0.0));
    model.connect(Connection::new(BlockId(1), "Output", BlockId(0), "Input"));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input 2"));
    show(&mut harness, simulation);
    select(&mut harness, &[], &[(1, "Input 2")]);
    insert(&mut harness, "gain");
    assert_eq!(wires(&harness), ["Gain>Sum.Input 2", "Integrator>Gain.Input", "Sum>Integrator.Input"]);
    let gain = root(&harness).blocks.values().find(|block| block.title() == "Gain").cloned().expect("the gain");
    assert_eq!(gain.view("view:flip"), Some("1"), "the signal runs back");
    assert_apart(&harness);
}

/// Without a selection the place is free, however full the diagram is.
#[test]
fn a_block_without_a_selection_covers_nothing() {
    let mut harness = window();
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the model");
    for id in 0..3600i128 {
        let (column, row) = ((id % 60) as f64, (id / 60) as f64);
        let block = Block::new(BlockId(id), BlockKind::library("Math", "Abs"));
        model.add_block(block.at(60.0 * column - 1800.0, 60.0 * row - 1800.0));
    }
    show(&mut harness, simulation);
    select(&mut harness, &[], &[]);
    insert(&mut harness, "transfer function");
    let scene = harness.state().open().canvas.scene();
    let new = scene.blocks().find(|view| view.block.title() == "Transfer Function").expect("the block");
    let room = new.outline.with_title();
    assert_eq!(scene.blocks_in(room).len(), 1, "it lies at {room:?}");
}

/// A mass on a spring with damping and its PID controller, by keys alone.
#[test]
fn a_controlled_mass_is_drawn_without_the_mouse() {
    let mut harness = window();
    show(&mut harness, Simulation::new("Main"));
    for text in ["step", "sum +-", "pid", "sum +--", "gain 0.5", "integrator", "integrator", "scope"] {
        insert(&mut harness, text);
    }
    let walk = |harness: &mut Window, key: Key, count: usize| {
        for _ in 0..count {
            harness.key_press_modifiers(Modifiers::COMMAND, key);
            harness.run_ok();
        }
    };
    // The spring, from the position; the damper, from the speed; then the measured position.
    walk(&mut harness, Key::ArrowLeft, 1);
    type_block(&mut harness, "gain 4", Modifiers::SHIFT);
    insert(&mut harness, ">sum");
    walk(&mut harness, Key::ArrowUp, 1);
    assert_eq!(wires(&harness).len(), 9);
    let model = root(&harness);
    let spring = model.blocks.values().rfind(|block| block.title() == "Gain").cloned().expect("the spring");
    assert_eq!(spring.view("view:flip"), Some("1"), "the signal runs back through it");
    let sums: Vec<_> = model.blocks.values().filter(|block| block.title() == "Sum").collect();
    let into: Vec<_> = model.connections.values().filter(|wire| wire.from == spring.id).collect();
    assert_eq!(
        into.iter().map(|wire| (wire.to, &*wire.input)).collect::<Vec<_>>(),
        [(sums[1].id, "Input 2")],
        "the input at the bottom"
    );
    assert_apart(&harness);
}

/// The inputs of a sum are all connected: one more is added.
#[test]
fn a_block_is_connected_by_the_name_of_another() {
    let mut harness = window();
    show(&mut harness, Simulation::new("Main"));
    for text in ["constant 1", "sum", "integrator"] {
        insert(&mut harness, text);
    }
    insert(&mut harness, ">sum");
    insert(&mut harness, ">sum");
    assert_eq!(
        wires(&harness),
        ["Constant>Sum.Input 1", "Integrator>Sum.Input 2", "Integrator>Sum.Input 3", "Sum>Integrator.Input"]
    );
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_ok();
    let sum = root(&harness).blocks.values().find(|block| block.title() == "Sum").cloned().expect("the sum");
    assert_eq!((wires(&harness).len(), sum.option_texts("Signs")), (3, None), "one step of the history");
}

/// Random diagrams: whatever is selected, the next block covers nothing and is connected if it can be.
#[test]
fn the_next_block_covers_nothing_anywhere() {
    let kinds =
        [("Math", "Gain"), ("Math", "Sum"), ("Continuous", "PID Controller"), ("Var", "Static"), ("Plot", "Scope")];
    let names = ["gain", "sum", "pid", "constant", "scope", "unit delay", "subsystem", "exit"];
    for seed in 0..6u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        let mut simulation = Simulation::new("Main");
        let model = simulation.model_mut("Main").expect("the model");
        for id in 0..20i128 {
            let (group, name) = kinds[random(kinds.len())];
            let (column, row) = ((id % 5) as f64, (id / 5) as f64);
            let (x, y) = (140.0 * column + 10.0 * random(3) as f64, 130.0 * row + 10.0 * random(3) as f64);
            let mut block = Block::new(BlockId(id), BlockKind::library(group, name)).at(x, y);
            if random(4) == 0 {
                block.set_view("view:flip", Some("1"));
            }
            model.add_block(block);
        }
        let mut harness = window();
        show(&mut harness, simulation);
        assert_apart(&harness);
        for _ in 0..5 {
            let (before, count) = (random(20) as i128, root(&harness).blocks.len());
            select(&mut harness, &[before], &[]);
            let modifiers = if random(3) == 0 { Modifiers::SHIFT } else { Modifiers::NONE };
            let name = names[random(names.len())];
            type_block(&mut harness, name, modifiers);
            assert_eq!(root(&harness).blocks.len(), count + 1, "seed {seed}: {name} after {before}");
            assert_apart(&harness);
        }
    }
}

/// An input of a round sum is on the side that its signal comes from.
#[test]
fn a_sum_takes_its_signals_from_where_they_are() {
    let mut harness = window();
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the model");
    model.add_block(Block::new(BlockId(0), BlockKind::library("Math", "Sum")).at(300.0, 200.0));
    model.add_block(Block::new(BlockId(1), BlockKind::library("Var", "Static")).at(100.0, 200.0));
    model.add_block(Block::new(BlockId(2), BlockKind::library("Var", "Static")).at(280.0, 0.0));
    show(&mut harness, simulation);
    for source in [1, 2] {
        select(&mut harness, &[source], &[]);
        insert(&mut harness, ">sum");
    }
    let sum = root(&harness).block(BlockId(0)).cloned().expect("the sum");
    assert_eq!(sum.view("view:inputs"), Some("left top"), "the second signal comes from above");
    // One more input leaves the first where it was.
    select(&mut harness, &[1], &[]);
    insert(&mut harness, ">sum");
    let scene = harness.state().open().canvas.scene();
    let view = scene.block(BlockId(0)).expect("the sum");
    assert_eq!(view.outline.inputs[0], view.outline.rect.left_center());
    assert_eq!(view.outline.inputs[1], view.outline.rect.center_top());
}
