//! Grouping blocks into a model and expanding an instance do not change results.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::compile;
use simulate::format::Formats;
use simulate::model::{
    Block, BlockAddress, BlockId, BlockKind, Change, Direction, InputKey, Model, Position, SignalKey, Simulation,
    Variable, expand, group, trace,
};

use crate::sketch::{Run, Sketch};

pub fn examples() -> Vec<(String, Simulation)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples");
    let formats = Formats::standard();
    let simx = formats.iter().next().expect("a format");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let bytes = std::fs::read(&path).expect("it can be read");
            (path.display().to_string(), simx.read(&bytes, &Default::default()).expect("it is valid").simulation)
        })
        .collect();
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

/// The values of the root's exits after some steps, or of all its blocks if it has no exits.
pub fn outcome(simulation: &Simulation) -> Vec<Vec<u64>> {
    let mut run = Run::new(simulation, "simple");
    let mut all = Vec::new();
    for _ in 0..40 {
        run.steps(1);
        let program = &run.program;
        let exits = program.exits();
        let outputs: Vec<_> = exits.iter().map(|(_, _, output)| *output).collect();
        all.push(
            outputs
                .iter()
                .flat_map(|output| {
                    let output = program.outputs[*output];
                    run.context.values[output.offset as usize..][..output.width as usize]
                        .iter()
                        .map(|v| v.to_bits())
                        .collect::<Vec<_>>()
                })
                .collect(),
        );
    }
    all
}

/// Adds an exit for every unconnected output of a root block, so that all can be compared.
pub fn with_exits(simulation: &Simulation) -> Simulation {
    let mut simulation = simulation.clone();
    let registry = Registry::standard();
    let root = Arc::clone(simulation.root_model().expect("a root"));
    let name = Arc::clone(&root.name);
    let mut outputs = Vec::new();
    for block in root.blocks.values() {
        let ports = simulate::model::block_ports(&simulation, &registry, &root, block);
        outputs.extend(ports.outputs.into_iter().map(|output| (block.id, output)));
    }
    let model = simulation.model_mut(&name).expect("the root");
    for (number, (block, output)) in outputs.into_iter().enumerate() {
        let id = BlockId(100_000 + number as i128);
        model.add_block(Block::new(id, BlockKind::exit(&format!("probe {number}"))));
        model.connect(simulate::model::Connection::new(block, &output, id, "Input"));
    }
    simulation
}

#[track_caller]
pub fn applied(simulation: &Simulation, edits: Vec<simulate::model::Edit>) -> Simulation {
    Change::new("Change", edits).applied(simulation, &Registry::standard()).expect("it is allowed")
}

#[test]
fn making_a_model_of_any_part_changes_no_result_nor_does_going_back() {
    for (name, simulation) in examples() {
        let simulation = with_exits(&simulation);
        let before = outcome(&simulation);
        let root = Arc::clone(simulation.root_model().expect("a root"));
        let ids: Vec<BlockId> = root.blocks.keys().copied().filter(|id| id.0 < 100_000).collect();
        // All, each half, every third.
        let parts: [BTreeSet<BlockId>; 4] = [
            ids.iter().copied().collect(),
            ids[..ids.len() / 2].iter().copied().collect(),
            ids[ids.len() / 2..].iter().copied().collect(),
            ids.iter().copied().step_by(3).collect(),
        ];
        for (number, part) in parts.iter().enumerate() {
            let Some((edits, block)) = group(&simulation, &root, part, "Part") else { continue };
            let Ok(grouped) = Change::new("Group", edits).applied(&simulation, &Registry::standard()) else {
                panic!("{name}, part {number}: it is allowed");
            };
            assert_eq!(outcome(&grouped), before, "{name}, part {number}");
            let outer = Arc::clone(grouped.root_model().expect("a root"));
            let (edits, _) = expand(&grouped, &outer, block).unwrap_or_else(|error| panic!("{name}: {error}"));
            let expanded = applied(&grouped, edits);
            assert_eq!(outcome(&expanded), before, "{name}, part {number}, and back");
            let count = |simulation: &Simulation| {
                let root = simulation.root_model().expect("a root");
                (root.blocks.len(), root.connections.len(), simulation.models.len())
            };
            assert_eq!(count(&expanded), count(&simulation), "{name}, part {number}");
        }
    }
}

#[test]
fn variables_of_the_model_go_along() {
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["a"])])
        .block(1, "Math/Gain", &[("Gain", &["2*k + 1"])])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input");
    let main = sketch.simulation.model_mut("Main").expect("the root");
    main.set_variable("k", Variable::new("a + 1"));
    main.set_variable("a", Variable::new("3"));
    let simulation = sketch.simulation;
    assert_eq!(outcome(&simulation)[0], [27f64.to_bits()]);
    let root = Arc::clone(simulation.root_model().expect("a root"));
    let (edits, block) = group(&simulation, &root, &BTreeSet::from([BlockId(1)]), "Part").expect("a part");
    let grouped = applied(&simulation, edits);
    assert_eq!(outcome(&grouped)[0], [27f64.to_bits()]);
    // The new model uses the variable of the outer model.
    let mut other = grouped.clone();
    other.model_mut("Main").expect("the root").set_variable("a", Variable::new("0"));
    assert_eq!(outcome(&other)[0], [0f64.to_bits()]);
    let mut other = grouped.clone();
    other.model_mut("Main").expect("the root").set_variable("k", Variable::new("1"));
    assert_eq!(outcome(&other)[0], [9f64.to_bits()]);
    let outer = Arc::clone(grouped.root_model().expect("a root"));
    let expanded = applied(&grouped, expand(&grouped, &outer, block).expect("it can be").0);
    assert_eq!(outcome(&expanded)[0], [27f64.to_bits()]);
    assert!(compile(&expanded, &Registry::standard()).is_ok());
}

#[test]
fn what_would_do_something_else_is_not_expanded() {
    let sketch = |role: &str| {
        let mut sketch = Sketch::new(1.0)
            .block_in("Inner", 0, "entry u", &[])
            .block_in("Inner", 1, "exit y", &[])
            .wire_in("Inner", "0.Output", "1.Input")
            .block(1, "model Inner", &[])
            .block(2, "exit y", &[])
            .wire("1.y", "2.Input");
        let inner: &mut Model = sketch.simulation.model_mut("Inner").expect("the model");
        if !role.is_empty() {
            inner.block_mut(BlockId(0)).expect("the entry").attributes.set("role", role);
        }
        sketch.simulation
    };
    for (role, want) in [
        ("enable", "“Inner” is a conditional or iterated subsystem; its blocks would run unconditionally here"),
        ("", "the input “u” is not connected, and its initial value would be lost"),
    ] {
        let simulation = sketch(role);
        let root = simulation.root_model().expect("a root");
        assert_eq!(expand(&simulation, root, BlockId(1)).map_err(|error| error.to_string()), Err(want.to_owned()));
    }
}

/// A value of the instance takes the place of the variable, in parentheses where it is more than a name or a number.
#[test]
fn values_of_an_instance_are_written_into_its_blocks() {
    for (value, want) in [("0.5", "2*0.5"), ("k_p", "2*k_p"), ("a + 1", "2*(a + 1)")] {
        let mut sketch = Sketch::new(1.0).block_in("Inner", 0, "Math/Gain", &[("Gain", &["2*k"])]).block(
            1,
            "model Inner",
            &[("k", &[value])],
        );
        sketch.simulation.model_mut("Inner").expect("the model").set_variable("k", Variable::new("1"));
        let main = sketch.simulation.model_mut("Main").expect("the root");
        main.set_variable("k_p", Variable::new("3"));
        main.set_variable("a", Variable::new("3"));
        let root = Arc::clone(sketch.simulation.root_model().expect("a root"));
        let (edits, _) = expand(&sketch.simulation, &root, BlockId(1)).expect("it can be");
        let expanded = applied(&sketch.simulation, edits);
        let gains = expanded.root_model().expect("a root").blocks.values();
        let texts: Vec<String> = gains.filter_map(|block| Some(block.option_texts("Gain")?.concat())).collect();
        assert_eq!(texts, [want]);
    }
}

#[test]
fn a_signal_is_followed_through_models() {
    let simulation = Sketch::new(1.0)
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "Math/Gain", &[])
        .block_in("Inner", 2, "exit y", &[])
        .wire_in("Inner", "0.Output", "1.Input")
        .wire_in("Inner", "1.Output", "2.Input")
        .block(0, "Var/Static", &[])
        .block(1, "model Inner", &[])
        .block(2, "exit y", &[])
        .block(3, "Var/Static", &[])
        .wire("0.Output", "1.u")
        .wire("1.y", "2.Input")
        .simulation;
    let up = trace(&simulation, &Registry::standard(), &SignalKey::new(&[], BlockId(1), "y"), Direction::ToSource);
    let inside = vec![BlockId(1)];
    let block = |path: &[BlockId], id| BlockAddress::new(path, BlockId(id));
    let wire = |path: &[BlockId], id, input: &str| (path.to_vec(), InputKey::new(BlockId(id), input));
    assert_eq!(
        up.blocks,
        [block(&[], 0), block(&[], 1), block(&inside, 0), block(&inside, 1), block(&inside, 2)].into()
    );
    assert_eq!(up.wires, [wire(&[], 1, "u"), wire(&inside, 1, "Input"), wire(&inside, 2, "Input")].into());
    let down =
        trace(&simulation, &Registry::standard(), &SignalKey::new(&[], BlockId(0), "Output"), Direction::ToDestination);
    assert_eq!(
        down.wires,
        [wire(&[], 1, "u"), wire(&[], 2, "Input"), wire(&inside, 1, "Input"), wire(&inside, 2, "Input")].into()
    );
    assert!(!down.blocks.contains(&block(&[], 3)));
}

#[test]
fn a_remark_does_not_run() {
    let sketch = Sketch::new(1.0)
        .block(0, "Note/Text", &[("Text", &["first"])])
        .block(1, "Var/Static", &[("Value", &["2"])])
        .block(3, "Note/Area", &[])
        .block(4, "exit y", &[])
        .wire("1.Output", "4.Input");
    let mut run = sketch.run();
    assert_eq!(run.program.units.len(), 2);
    assert_eq!(run.steps(2).exit("y"), [2.0]);
}

/// A wire that is cut into one outside and one inside keeps what files say of it, but not its route.
#[test]
fn wires_keep_their_attributes_but_their_route() {
    let mut simulation = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Gain", &[])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .simulation;
    let main = simulation.model_mut("Main").expect("the model");
    let mut wires: Vec<_> = main.connections.values().map(|wire| (**wire).clone()).collect();
    for wire in &mut wires {
        wire.attributes.set("note", "kept");
        wire.attributes.set("view:route", "1 2 3 4");
        main.connect(wire.clone());
    }
    let root = Arc::clone(simulation.root_model().expect("a root"));
    let (edits, _) = group(&simulation, &root, &BTreeSet::from([BlockId(1)]), "Part").expect("a part");
    let grouped = applied(&simulation, edits);
    let mut count = 0;
    for wire in grouped.models.values().flat_map(|model| model.connections.values()) {
        assert_eq!((wire.attributes.get("note"), wire.attributes.get("view:route")), (Some("kept"), None), "{wire:?}");
        count += 1;
    }
    assert_eq!(count, 4);
}

/// Files are written in the order in which things were added, whatever their ids.
#[test]
fn blocks_stay_in_their_order() {
    let simulation = Sketch::new(1.0)
        .block(7, "Math/Gain", &[])
        .block(2, "Math/Bias", &[])
        .block(5, "Math/Abs", &[])
        .wire("7.Output", "5.Input")
        .wire("5.Output", "2.Input")
        .simulation;
    let in_order = |model: &Model| {
        let mut blocks: Vec<_> = model.blocks.values().collect();
        blocks.sort_by_key(|block| block.seq);
        let name = |block: &Arc<Block>| match &block.kind {
            BlockKind::Library { name, .. } => name.to_string(),
            _ => "another".to_owned(),
        };
        blocks.into_iter().map(name).collect::<Vec<_>>()
    };
    let root = Arc::clone(simulation.root_model().expect("a root"));
    let (edits, block) = group(&simulation, &root, &root.blocks.keys().copied().collect(), "Part").expect("a part");
    let grouped = applied(&simulation, edits);
    assert_eq!(in_order(grouped.model("Part").expect("the model")), ["Gain", "Bias", "Abs"]);
    let outer = Arc::clone(grouped.root_model().expect("a root"));
    let (edits, _) = expand(&grouped, &outer, block).expect("it is allowed");
    assert_eq!(in_order(applied(&grouped, edits).root_model().expect("a root")), ["Gain", "Bias", "Abs"]);
}

/// The subsystem is in the middle of its blocks, and expanding it puts them back around its place.
#[test]
fn a_part_is_replaced_at_the_centre_of_its_blocks() {
    let mut sketch = Sketch::new(1.0);
    for (id, (x, y)) in [(0, (40.0, 300.0)), (1, (-60.0, 100.0)), (2, (140.0, -100.0)), (3, (90.0, 250.0))] {
        sketch = sketch.block(id, "Math/Gain", &[]);
        let model = sketch.simulation.model_mut("Main").expect("the model");
        model.block_mut(BlockId(id.into())).expect("the block").set_position(Position { x, y });
    }
    let simulation = sketch.simulation;
    let root = Arc::clone(simulation.root_model().expect("a root"));
    let (edits, block) = group(&simulation, &root, &root.blocks.keys().copied().collect(), "Part").expect("a part");
    let grouped = applied(&simulation, edits);
    let outer = Arc::clone(grouped.root_model().expect("a root"));
    let at = outer.block(block).and_then(|block| block.position()).expect("a position");
    // The middle of -60 to 140 and of -100 to 300.
    assert_eq!((at.x, at.y), (40.0, 100.0));
    let expanded = applied(&grouped, expand(&grouped, &outer, block).expect("it can be").0);
    let places = |model: &Model| -> BTreeSet<(i64, i64)> {
        model.blocks.values().filter_map(|block| block.position()).map(|at| (at.x as i64, at.y as i64)).collect()
    };
    assert_eq!(places(expanded.root_model().expect("a root")), places(&root));
}

/// From within a model the way leads through the block of the model that stands for it outside.
#[test]
fn a_signal_is_followed_out_of_a_model() {
    let simulation = Sketch::new(1.0)
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "Math/Gain", &[])
        .block_in("Inner", 2, "exit y", &[])
        .wires("Inner", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
        .block(0, "Var/Static", &[])
        .block(1, "model Inner", &[])
        .block(2, "Math/Abs", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.Input")])
        .simulation;
    let of = |direction| {
        let signal = SignalKey::new(&[BlockId(1)], BlockId(1), "Output");
        trace(&simulation, &Registry::standard(), &signal, direction).blocks
    };
    let (inside, outside) =
        (|id| BlockAddress::new(&[BlockId(1)], BlockId(id)), |id| BlockAddress::new(&[], BlockId(id)));
    assert_eq!(of(Direction::ToSource), [inside(1), inside(0), outside(1), outside(0)].into());
    assert_eq!(of(Direction::ToDestination), [inside(1), inside(2), outside(1), outside(2)].into());
}

/// The ports of a new model stand beside its blocks, at the height of the block that they belong to.
#[test]
fn the_ports_of_a_new_model_stand_beside_its_blocks() {
    let mut simulation = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Gain", &[])
        .block(2, "Math/Abs", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .simulation;
    let main = simulation.model_mut("Main").expect("the model");
    for (id, x, y) in [(1, 100.0, 40.0), (2, 300.0, -60.0)] {
        main.block_mut(BlockId(id)).expect("the block").set_position(Position { x, y });
    }
    let root = Arc::clone(simulation.root_model().expect("a root"));
    let ids = BTreeSet::from([BlockId(1), BlockId(2)]);
    let (edits, block) = group(&simulation, &root, &ids, "Part").expect("a part");
    let grouped = applied(&simulation, edits);
    let part = grouped.model("Part").expect("the model");
    let position = |block: &Block| block.position().map(|at| (at.x, at.y));
    assert_eq!(part.entries().map(|(block, _)| position(block)).collect::<Vec<_>>(), [Some((-30.0, 40.0))]);
    assert_eq!(part.exits().map(|(block, _)| position(block)).collect::<Vec<_>>(), [Some((430.0, -60.0))]);
    let instance = grouped.root_model().and_then(|root| root.block(block)).expect("the instance");
    assert_eq!(position(instance), Some((200.0, -10.0)), "in the middle of what it replaces");
}

/// The blocks of an instance with a seed of its own draw the same numbers when they take its place: blocks of noise as
/// well as models that contain some.
#[test]
fn random_numbers_stay_when_a_model_is_expanded() {
    let mut simulation = Sketch::new(1.0)
        .block_in("Inner", 1, "Var/Noise", &[])
        .block_in("Inner", 2, "exit y", &[])
        .wire_in("Inner", "1.Output", "2.Input")
        .block_in("Middle", 1, "model Inner", &[])
        .block_in("Middle", 2, "exit y", &[])
        .block_in("Middle", 3, "Var/Noise", &[])
        .block_in("Middle", 4, "exit z", &[])
        .wires("Middle", &[("1.y", "2.Input"), ("3.Output", "4.Input")])
        .block(1, "model Middle", &[])
        .block(2, "exit y", &[])
        .block(3, "exit z", &[])
        .wires("Main", &[("1.y", "2.Input"), ("1.z", "3.Input")])
        .simulation;
    let without = outcome(&simulation);
    let instance = simulation.model_mut("Main").and_then(|main| main.block_mut(BlockId(1))).expect("the instance");
    instance.attributes.set(Block::SEED, "7");
    let before = outcome(&simulation);
    assert!(before[0].iter().zip(&without[0]).all(|(with, without)| with != without), "the seed is one of all numbers");
    let root = Arc::clone(simulation.root_model().expect("a root"));
    let expanded = applied(&simulation, expand(&simulation, &root, BlockId(1)).expect("it can be").0);
    assert!(expanded.model("Middle").is_none());
    assert_eq!(outcome(&expanded), before);
}
