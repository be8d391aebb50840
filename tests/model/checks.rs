//! Diagnostics of a document: loops, open inputs, initial values, unknown blocks.

use simulate::block::Registry;
use simulate::model::{Block, BlockId, BlockKind, Connection, Edit, Simulation, check, without_loops};

use super::{apply, document, nested, ports};
use crate::sketch::Sketch;

/// A wire from the sum to one of these inputs would close a loop; the integrator is behind none.
#[test]
fn the_inputs_that_an_output_depends_on_within_the_step_are_found() {
    use simulate::model::inputs_behind;
    let mut simulation = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Gain", &[])
        .block(2, "Math/Sum", &[])
        .block(3, "Math/Integrate", &[])
        .block(4, "Math/Abs", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input 1"), ("3.Output", "2.Input 2")])
        .wires("Main", &[("2.Output", "3.Input"), ("2.Output", "4.Input")])
        .simulation;
    let behind = |simulation: &Simulation, model: &str, id: u64| {
        let found = inputs_behind(simulation, &Registry::standard(), model, BlockId(id.into()), &"Output".into());
        found.into_iter().map(|key| (key.block.0, key.input.to_string())).collect::<Vec<_>>()
    };
    let inputs = |all: &[(i128, &str)]| all.iter().map(|(id, name)| (*id, (*name).to_owned())).collect::<Vec<_>>();
    assert_eq!(behind(&simulation, "Main", 2), inputs(&[(1, "Input"), (2, "Input 1"), (2, "Input 2")]));
    assert_eq!(behind(&simulation, "Main", 3), []);
    assert_eq!(behind(&simulation, "Nobody", 2), []);
    simulation.attributes.set("loops", "solve");
    assert_eq!(behind(&simulation, "Main", 2), [], "it would be solved");
}

/// Of two wires the second would close a loop: the first is kept, whatever their order.
#[test]
fn wires_that_close_no_loop_are_kept() {
    let simulation = Sketch::new(1.0)
        .block(0, "Math/Gain", &[])
        .block(1, "Math/Abs", &[])
        .block(2, "Math/Abs", &[])
        .wire("0.Output", "1.Input")
        .simulation;
    let wire = |from, to| Connection::new(BlockId(from), "Output", BlockId(to), "Input");
    let registry = Registry::standard();
    for wanted in [vec![wire(0, 2), wire(1, 0)], vec![wire(1, 0), wire(0, 2)]] {
        assert_eq!(without_loops(&simulation, &registry, "Main", wanted), [wire(0, 2)]);
    }
}

#[test]
fn a_wrong_initial_value_of_an_entry_is_reported() {
    let mut simulation = nested();
    let inner = simulation.model_mut("Inner").expect("the model");
    let entry = inner.block_mut(BlockId(2)).expect("the entry");
    *entry = Block::new(BlockId(2), BlockKind::entry("x")).with_option(Block::INITIAL_VALUE, &["1 +"]);
    let found = check(&simulation, &Registry::standard());
    let found: Vec<_> = found.iter().filter(|found| found.code == "bad-option").collect();
    let [found] = found[..] else { panic!("{found:?}") };
    assert_eq!((found.location.model.as_deref(), found.location.block), (Some("Inner"), Some(BlockId(2))));
}

/// An unconnected input is reported, unless the entry inside has an initial value.
#[test]
fn an_open_input_of_an_instance_is_a_warning() {
    let messages = |simulation: &Simulation| -> Vec<String> {
        let found = simulate::model::check(simulation, &Registry::standard());
        found.into_iter().filter(|one| one.code == "unconnected-input").map(|one| one.message).collect()
    };
    let mut simulation = nested();
    assert!(messages(&simulation).is_empty());
    let main = simulation.model_mut("Main").expect("the root");
    main.remove_blocks(&[BlockId(0)].into());
    assert_eq!(messages(&simulation), ["the input “u” is not connected, so the entry inside has no value"]);
    let inner = simulation.model_mut("Inner").expect("the model");
    let mut entry = Block::clone(inner.block(BlockId(0)).expect("the entry"));
    entry.set_option(Block::INITIAL_VALUE, Some(&["5"]));
    inner.remove_blocks(&[BlockId(0)].into());
    inner.add_block(entry);
    let left: Vec<String> = messages(&simulation).into_iter().filter(|message| message.contains("“u”")).collect();
    assert!(left.is_empty(), "it stays at that value: {left:?}");
}

#[test]
fn an_initial_value_that_is_no_number_is_an_error_at_its_entry() {
    let found = |value: &str| {
        let mut simulation = nested();
        let inner = simulation.model_mut("Inner").expect("the model");
        let mut entry = Block::clone(inner.block(BlockId(0)).expect("the entry"));
        entry.set_option(Block::INITIAL_VALUE, Some(&[value]));
        inner.remove_blocks(&[BlockId(0)].into());
        inner.add_block(entry);
        let found = simulate::model::check(&simulation, &Registry::standard());
        let of_option = found.into_iter().filter(|one| one.code == "bad-option");
        of_option.map(|one| (one.location.model.clone(), one.location.block)).collect::<Vec<_>>()
    };
    assert_eq!(found("2*pi"), []);
    assert_eq!(found("much"), [(Some("Inner".into()), Some(BlockId(0)))]);
}

/// Similar names: a known one that contains the unknown one, or is contained in it.
#[test]
fn similar_names_of_unknown_blocks_are_proposed() {
    for name in ["Transport", "My Transport Delay"] {
        let mut simulation = Simulation::new("Main");
        let main = simulation.model_mut("Main").expect("the root");
        main.add_block(Block::new(BlockId(0), BlockKind::library("Continuous", name)));
        let found = check(&simulation, &Registry::standard());
        let help: Vec<&str> = found.iter().map(|one| &*one.help).collect();
        let help = help.join("; ");
        assert!(help.contains("Continuous/Transport Delay"), "{name}: {help}");
    }
}

/// The loop condition and the iteration number are not ports.
#[test]
fn a_condition_and_the_number_of_the_run_are_no_ports() {
    let mut document = document(nested());
    for (id, kind, role) in [(4, BlockKind::exit("again"), "while"), (5, BlockKind::entry("n"), "index")] {
        let mut block = Block::new(BlockId(id), kind);
        block.attributes.set("role", role);
        apply(&mut document, Edit::AddBlock { model: "Inner".into(), block: Box::new(block) });
    }
    assert_eq!(ports(&document, "Main", 1), (vec!["u".to_owned()], vec!["y".to_owned()]));
}

#[test]
fn mistakes_are_reported_in_the_order_in_which_the_blocks_were_added() {
    let sketch =
        Sketch::new(1.0).block(7, "Math/Nothing", &[]).block(2, "Math/Nothing", &[]).block(5, "Math/Nothing", &[]);
    let found = check(&sketch.simulation, &Registry::standard());
    let blocks: Vec<_> = found.iter().map(|problem| problem.location.block).collect();
    assert_eq!(blocks, [7, 2, 5].map(|id| Some(BlockId(id))));
}
