//! Names in place of connections: tags and stores, on every engine.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{compile, diagnose};
use simulate::model::{
    BlockId, Change, Connection, Diagnostic, Document, Edit, EditError, Role, SignalKey, Simulation, check,
};

use crate::sketch::{Run, Sketch};

/// Compares the exit after each step, on every engine.
#[track_caller]
fn expect(simulation: &Simulation, exit: &str, values: &[f64]) {
    for engine in ["simple", "flat", "compiled"] {
        assert_eq!(Run::new(simulation, engine).trace(exit, values.len()), values, "{exit} on {engine}");
        let mut all = Run::new(simulation, engine);
        assert_eq!(all.steps(values.len() as u64).exit(exit)[..1], values[values.len() - 1..], "{exit} on {engine}");
    }
}

fn errors(simulation: &Simulation) -> Vec<Diagnostic> {
    check(simulation, &Registry::standard()).into_iter().filter(Diagnostic::is_error).collect()
}

#[track_caller]
fn refused(simulation: &Simulation, code: &str, model: &str, block: u64) {
    let found = errors(simulation);
    let [problem] = &found[..] else { panic!("{found:#?}") };
    let place = (problem.code, problem.location.model.as_deref(), problem.location.block);
    assert_eq!(place, (code, Some(model), Some(BlockId(block.into()))), "{problem:?}");
    assert!(compile(simulation, &Registry::standard()).is_err());
}

const INSIDE: (&str, &[&str]) = ("Visibility", &["inside"]);

#[test]
fn a_tag_is_a_wire() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Routing/Goto", &[("Tag", &["speed"])])
        .block(2, "Routing/From", &[("Tag", &["speed"])])
        .block(3, "Math/Gain", &[("Gain", &["3"])])
        .block(4, "Routing/From", &[("Tag", &["speed"])])
        .block(5, "exit y", &[])
        .block(6, "exit z", &[])
        .wire("0.Output", "1.Input")
        .wire("2.Output", "3.Input")
        .wire("3.Output", "5.Input")
        .wire("4.Output", "6.Input");
    expect(&sketch.simulation, "y", &[0.0, 3.0, 6.0]);
    expect(&sketch.simulation, "z", &[0.0, 1.0, 2.0]);
    // Only these blocks run: clock, goto, from, gain, from and two exits.
    let mut run = sketch.run();
    assert_eq!(run.steps(1).context.executed, 7);
    assert!(run.program.output_of(&SignalKey::new(&[], BlockId(4), "Output")).is_some());
}

#[test]
fn missing_and_duplicate_names_are_reported_at_their_block() {
    let from = Sketch::new(1.0).block(2, "Routing/From", &[]);
    refused(&from.simulation, "unknown-tag", "Main", 2);
    let sketch =
        Sketch::new(1.0).block(0, "Var/Clock", &[]).block(1, "Routing/Goto", &[]).block(2, "Routing/Goto", &[]);
    refused(&sketch.wire("0.Output", "1.Input").wire("0.Output", "2.Input").simulation, "duplicate-tag", "Main", 2);
    let write = Sketch::new(1.0).block(0, "Var/Clock", &[]).block(2, "Routing/Data Store Write", &[]);
    refused(&write.wire("0.Output", "2.Input").simulation, "unknown-tag", "Main", 2);
}

/// `Deep` reads the tag; it has an instance in `Inner`, which has two in `Main`, one of them through `Other`.
fn nested(options: &[(&str, &[&str])]) -> Sketch {
    Sketch::new(1.0)
        .block_in("Deep", 0, "Routing/From", &[])
        .block_in("Deep", 1, "exit y", &[])
        .wire_in("Deep", "0.Output", "1.Input")
        .block_in("Inner", 0, "model Deep", &[])
        .block_in("Inner", 1, "exit y", &[])
        .wire_in("Inner", "0.y", "1.Input")
        .block_in("Other", 0, "Var/Static", &[("Value", &["7"])])
        .block_in("Other", 1, "Routing/Goto", &[INSIDE])
        .block_in("Other", 2, "model Inner", &[])
        .block_in("Other", 3, "exit y", &[])
        .wire_in("Other", "0.Output", "1.Input")
        .wire_in("Other", "2.y", "3.Input")
        .block(0, "Var/Clock", &[])
        .block(1, "Routing/Goto", options)
        .block(2, "model Inner", &[])
        .block(3, "model Other", &[])
        .block(4, "exit a", &[])
        .block(5, "exit b", &[])
        .wire("0.Output", "1.Input")
        .wire("2.y", "4.Input")
        .wire("3.y", "5.Input")
}

#[test]
fn a_tag_is_seen_inside_where_it_says_so_and_the_nearest_counts() {
    let simulation = nested(&[INSIDE]).simulation;
    expect(&simulation, "a", &[0.0, 1.0, 2.0]);
    expect(&simulation, "b", &[7.0, 7.0, 7.0]);
    let run = Run::new(&simulation, "simple");
    let keys: Vec<String> = run.program.signals().map(|(key, _)| key.to_string()).collect();
    assert!(keys.iter().all(|key| !key.contains('→')), "{keys:?}");
    // A clock and two exits; twice an exit around a From and an exit; a constant and an exit. No entry for the name.
    assert_eq!(keys.len(), 3 + 2 * 3 + 2, "{keys:?}");
    // Visible in its own model only.
    refused(&nested(&[]).simulation, "unknown-tag", "Deep", 0);
}

#[test]
fn loops_are_seen_through_names() {
    let sketch = Sketch::new(1.0)
        .block(0, "Routing/From", &[])
        .block(1, "Math/Gain", &[("Gain", &["0.5"])])
        .block(2, "Math/Bias", &[("Bias", &["3"])])
        .block(3, "Routing/Goto", &[])
        .block(4, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("2.Output", "3.Input")
        .wire("2.Output", "4.Input");
    let mut document = Document::new(sketch.simulation, Registry::standard());
    let wire = Connection::new(BlockId(1), "Output", BlockId(2), "Input");
    let edit = Edit::Connect { model: "Main".into(), connection: Box::new(wire.clone()) };
    let refusal = document.apply(&Change::one("Connect", edit));
    let Err(EditError::AlgebraicLoop(way)) = refusal else { panic!("{refusal:?}") };
    for block in ["From #0", "Gain #1", "Bias #2", "Goto #3"] {
        assert!(way.contains(block), "{way}");
    }
    let mut simulation = document.simulation().as_ref().clone();
    simulation.model_mut("Main").expect("the model").connect(wire);
    let found = diagnose(&simulation, &Registry::standard());
    assert_eq!(found.iter().map(|problem| problem.code).collect::<Vec<_>>(), ["loop"]);
    for block in ["From #0", "Gain #1", "Bias #2", "Goto #3"] {
        assert!(found[0].message.contains(block), "{found:?}");
    }
    // y = y / 2 + 3.
    simulation.attributes.set("loops", "solve");
    expect(&simulation, "y", &[6.0, 6.0]);
}

#[test]
fn a_store_has_what_was_written_in_the_step_before() {
    let sketch = Sketch::new(1.0)
        .block(0, "Routing/Data Store Memory", &[("Initial Value", &["10"])])
        .block(1, "Routing/Data Store Read", &[])
        .block(2, "Math/Bias", &[("Bias", &["2"])])
        .block(3, "Routing/Data Store Write", &[])
        .block(4, "exit y", &[])
        .wire("1.Output", "2.Input")
        .wire("2.Output", "3.Input")
        .wire("1.Output", "4.Input");
    expect(&sketch.simulation, "y", &[10.0, 12.0, 14.0, 16.0]);
}

#[test]
fn of_several_that_write_the_last_by_id_counts() {
    let sketch = Sketch::new(1.0)
        .block(9, "Routing/Data Store Memory", &[])
        .block(5, "Var/Static", &[("Value", &["1", "2"])])
        .block(7, "Routing/Data Store Write", &[])
        .block(1, "Var/Static", &[("Value", &["3", "4"])])
        .block(8, "Routing/Data Store Write", &[])
        .block(2, "Routing/Data Store Read", &[])
        .block(4, "exit y", &[])
        .wire("5.Output", "8.Input")
        .wire("1.Output", "7.Input")
        .wire("2.Output", "4.Input");
    expect(&sketch.simulation, "y", &[0.0, 1.0, 1.0]);
    assert_eq!(sketch.run().steps(2).exit("y"), [1.0, 2.0]);
}

/// `Inner` writes its entry `u` to the store, which `y` reads; two levels deep if `is_deep`. `#2` is the enable
/// condition.
fn written_inside(role: Role, decides: &str, options: &[(&str, &[&str])], is_deep: bool) -> Sketch {
    let outer = if is_deep { "Outer" } else { "Main" };
    let mut sketch = Sketch::new(1.0)
        .block_in("Inner", 0, "entry on", &[])
        .block_in("Inner", 1, "entry u", &[])
        .block_in("Inner", 2, "Routing/Data Store Write", &[])
        .wire_in("Inner", "1.Output", "2.Input")
        .block(0, "Routing/Data Store Memory", &[("Initial Value", &["-1"])])
        .block(1, "Routing/Data Store Read", &[])
        .block(2, decides, options)
        .block(3, "Var/Clock", &[])
        .block(4, "exit y", &[])
        .wire("1.Output", "4.Input");
    if is_deep {
        sketch = sketch
            .block_in("Outer", 0, "entry on", &[])
            .block_in("Outer", 1, "entry u", &[])
            .block_in("Outer", 9, "Var/Static", &[])
            .wire("2.Output", "5.on")
            .wire("3.Output", "5.u")
            .block(5, "model Outer", &[])
            .block_in("Outer", 5, "model Inner", &[])
            .wire_in("Outer", "9.Output", "5.on")
            .wire_in("Outer", "1.Output", "5.u");
    } else {
        sketch = sketch.block(5, "model Inner", &[]).wire("2.Output", "5.on").wire("3.Output", "5.u");
    }
    let gated = if is_deep { outer } else { "Inner" };
    for model in ["Inner", gated] {
        let model = sketch.simulation.model_mut(model).expect("the model");
        let entry = model.block_mut(BlockId(0)).expect("the entry");
        entry.attributes.set("role", role.name());
    }
    sketch
}

/// Above 0 in steps 2, 3, 6, 7, …
const PULSE: [(&str, &[&str]); 3] = [("Period", &["4"]), ("Width", &["50"]), ("Delay", &["2"])];

#[test]
fn a_conditional_model_writes_when_it_runs() {
    for is_deep in [false, true] {
        let sketch = written_inside(Role::Enable, "Var/Pulse", &PULSE, is_deep);
        expect(&sketch.simulation, "y", &[-1.0, -1.0, -1.0, 2.0, 3.0, 3.0, 3.0, 6.0, 7.0, 7.0]);
        let sketch = written_inside(Role::For, "Var/Static", &[("Value", &["3"])], is_deep);
        expect(&sketch.simulation, "y", &[-1.0, 0.0, 1.0, 2.0]);
    }
    // Never above 0.
    let sketch = written_inside(Role::Enable, "Var/Static", &[("Value", &["0"])], true);
    expect(&sketch.simulation, "y", &[-1.0, -1.0, -1.0]);
}

#[test]
fn iterations_cannot_write_a_store_each() {
    let sketch = written_inside(Role::Each, "Var/Static", &[("Value", &["1", "2"])], false);
    refused(&sketch.simulation, "store-in-each", "Inner", 2);
}

/// Each instance of the model that has the store has a store of its own.
#[test]
fn every_instance_of_a_model_has_its_own_store() {
    let sketch = Sketch::new(1.0)
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "Routing/Data Store Memory", &[])
        .block_in("Inner", 2, "Routing/Data Store Write", &[])
        .block_in("Inner", 3, "Routing/Data Store Read", &[])
        .block_in("Inner", 4, "exit y", &[])
        .wire_in("Inner", "0.Output", "2.Input")
        .wire_in("Inner", "3.Output", "4.Input")
        .block(0, "Var/Static", &[("Value", &["5"])])
        .block(1, "Var/Static", &[("Value", &["6"])])
        .block(2, "model Inner", &[])
        .block(3, "model Inner", &[])
        .block(4, "exit a", &[])
        .block(5, "exit b", &[])
        .wire("0.Output", "2.u")
        .wire("1.Output", "3.u")
        .wire("2.y", "4.Input")
        .wire("3.y", "5.Input");
    expect(&sketch.simulation, "a", &[0.0, 5.0, 5.0]);
    expect(&sketch.simulation, "b", &[0.0, 6.0, 6.0]);
}

/// Linking names does not change the file.
#[test]
fn linking_leaves_the_document_as_it_is() {
    let simulation = nested(&[INSIDE]).simulation;
    let linked = simulate::model::link(&simulation, &Registry::standard());
    assert!(linked.problems.is_empty() && *linked.simulation != simulation);
    assert!(
        simulation.models.values().all(|model| model.blocks.values().all(|block| !simulate::model::is_hidden(block)))
    );
    let plain = Arc::new(Sketch::new(1.0).block(0, "Var/Clock", &[]).simulation);
    assert_eq!(*simulate::model::link(&plain, &Registry::standard()).simulation, *plain);
}
