//! Algebraic loops in the document: which there are, and which a new wire would close, also through models.

use std::sync::Arc;

use proptest::prelude::*;
use simulate::block::Registry;
use simulate::model::{
    BlockId, Change, Connection, Edit, Hop, Model, Simulation, find_loops, loop_closed_anywhere, loop_closed_by,
    without_loops,
};

use crate::sketch::Sketch;

fn wire(from: u64, to: u64, input: &str) -> Connection {
    Connection::new(BlockId(from.into()), "Output", BlockId(to.into()), input)
}

/// The blocks of a loop from the least id on, in signal direction. Each hop's output must be what feeds the next hop.
fn blocks(model: &Model, hops: &[Hop]) -> Vec<i128> {
    for (hop, next) in hops.iter().zip(hops.iter().cycle().skip(1)) {
        if let Some(source) = model.source(next.block, &next.input) {
            assert_eq!((source.from, &source.output), (hop.block, &hop.output), "{hops:?}");
        }
    }
    let mut ids: Vec<i128> = hops.iter().map(|hop| hop.block.0).collect();
    let least = ids.iter().enumerate().min_by_key(|(_, id)| **id).map_or(0, |(at, _)| at);
    ids.rotate_left(least);
    ids
}

fn found(simulation: &Simulation) -> Vec<(String, Vec<i128>)> {
    let all = find_loops(simulation, &Registry::standard());
    let of = |(name, hops): &(Arc<str>, Vec<Hop>)| {
        (name.to_string(), blocks(simulation.model(name).expect("the model"), hops))
    };
    all.iter().map(of).collect()
}

fn one(model: &str, ids: &[i128]) -> Vec<(String, Vec<i128>)> {
    vec![(model.to_owned(), ids.to_vec())]
}

/// Gains with the ids 0 to 5, wired as listed.
fn gains(wires: &[(u64, u64)]) -> Sketch {
    let sketch = (0..6).fold(Sketch::new(1.0), |sketch, id| sketch.block(id, "Math/Gain", &[]));
    wires.iter().fold(sketch, |sketch, (from, to)| sketch.wire(&format!("{from}.Output"), &format!("{to}.Input")))
}

/// What leads to a loop, and what comes behind it, are no part of it.
#[test]
fn a_loop_has_its_own_blocks_alone() {
    assert_eq!(found(&gains(&[(0, 1), (1, 2), (2, 3)]).simulation), []);
    assert_eq!(found(&gains(&[(1, 2), (2, 3), (3, 1)]).simulation), one("Main", &[1, 2, 3]));
    assert_eq!(found(&gains(&[(1, 2), (2, 1), (2, 0), (0, 4)]).simulation), one("Main", &[1, 2]));
    assert_eq!(found(&gains(&[(5, 2), (2, 5), (5, 1), (1, 0), (2, 3)]).simulation), one("Main", &[2, 5]));
    assert_eq!(found(&gains(&[(3, 3), (3, 0)]).simulation), one("Main", &[3]));
    let mut two = found(&gains(&[(0, 1), (1, 0), (1, 2), (4, 5), (5, 4), (5, 3)]).simulation);
    two.sort();
    assert_eq!(two, [one("Main", &[0, 1]), one("Main", &[4, 5])].concat());
}

/// y = 2·u beside a delay of w: two ways through a model, of which one has direct feedthrough.
fn inner(sketch: Sketch) -> Sketch {
    sketch
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "Math/Gain", &[("Gain", &["2"])])
        .block_in("Inner", 2, "Math/Abs", &[])
        .block_in("Inner", 3, "exit y", &[])
        .block_in("Inner", 4, "entry w", &[])
        .block_in("Inner", 5, "Discrete/Unit Delay", &[])
        .block_in("Inner", 6, "exit z", &[])
        .wires("Inner", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Inner", &[("4.Output", "5.Input"), ("5.Output", "6.Input")])
}

#[test]
fn a_loop_goes_through_a_model_where_its_inside_does() {
    for (exit, entry, is_loop) in [("y", "u", true), ("y", "w", false), ("z", "u", false), ("z", "w", false)] {
        let sketch = inner(Sketch::new(1.0)).block(0, "model Inner", &[]).block(1, "Math/Gain", &[]);
        let sketch = sketch.wire(&format!("0.{exit}"), "1.Input").wire("1.Output", &format!("0.{entry}"));
        let want = if is_loop { one("Main", &[0, 1]) } else { vec![] };
        assert_eq!(found(&sketch.simulation), want, "{exit} to {entry}");
        // The same one level further out, by way of a model that only contains it.
        let sketch = inner(Sketch::new(1.0))
            .block_in("Outer", 0, "entry a", &[])
            .block_in("Outer", 1, "model Inner", &[])
            .block_in("Outer", 2, "exit b", &[])
            .wires("Outer", &[("0.Output", &format!("1.{entry}")), (&format!("1.{exit}"), "2.Input")])
            .block(0, "model Outer", &[])
            .wire("0.b", "0.a");
        let want = if is_loop { one("Main", &[0]) } else { vec![] };
        assert_eq!(found(&sketch.simulation), want, "{exit} to {entry}, one level further out");
    }
    // A conditional model runs as a whole: each output needs each input.
    let sketch = inner(Sketch::new(1.0)).block_in("Inner", 7, "entry on", &[]).mark("Inner", 7, &[("role", "enable")]);
    let sketch = sketch.block(0, "model Inner", &[]).wire("0.z", "0.w");
    assert_eq!(found(&sketch.simulation), one("Main", &[0]));
}

/// Blocks of one kind differ where their parameters do: (s + 2)/(s + 1) has direct feedthrough, 1/(s + 1) has none.
#[test]
fn a_parameter_may_open_a_loop() {
    let lag: &[(&str, &[&str])] = &[("Numerator", &["1"]), ("Denominator", &["1", "1"])];
    let lead: &[(&str, &[&str])] = &[("Numerator", &["1", "2"]), ("Denominator", &["1", "1"])];
    for kinds in [[lag, lag, lead], [lead, lead, lag], [lag, lead, lag]] {
        let mut sketch = Sketch::new(1.0);
        for (id, options) in (0..).zip(kinds) {
            sketch = sketch.block(id, "Continuous/Transfer Function", options).block(10 + id, "Math/Gain", &[]);
            sketch = sketch.wire(&format!("{id}.Output"), &format!("{}.Input", 10 + id));
            sketch = sketch.wire(&format!("{}.Output", 10 + id), &format!("{id}.Input"));
        }
        let want = (0..).zip(kinds).filter(|(_, kind)| *kind == lead).flat_map(|(id, _)| one("Main", &[id, 10 + id]));
        assert_eq!(found(&sketch.simulation), want.collect::<Vec<_>>());
    }
}

fn closed_by(simulation: &Simulation, model: &str, connection: &Connection) -> Option<Vec<i128>> {
    let hops = loop_closed_by(simulation, &Registry::standard(), model, connection)?;
    let mut with = simulation.clone();
    with.model_mut(model).expect("the model").connect(connection.clone());
    Some(blocks(with.model(model).expect("the model"), &hops))
}

#[test]
fn a_wire_that_closes_a_loop_is_known_before_it_is_drawn() {
    // A loop that is there already is not closed by a wire beside it, or from it.
    let chain = gains(&[(0, 1), (1, 2), (4, 5), (5, 4)]).simulation;
    assert_eq!(closed_by(&chain, "Main", &wire(2, 0, "Input")), Some(vec![0, 1, 2]));
    assert_eq!(closed_by(&chain, "Main", &wire(1, 0, "Input")), Some(vec![0, 1]));
    assert_eq!(closed_by(&chain, "Main", &wire(3, 3, "Input")), Some(vec![3]));
    assert_eq!(closed_by(&chain, "Main", &wire(2, 3, "Input")), None);
    assert_eq!(closed_by(&chain, "Main", &wire(4, 3, "Input")), None);
    assert_eq!(closed_by(&chain, "Nobody", &wire(2, 0, "Input")), None);
    let mut solved = chain.clone();
    solved.attributes.set("loops", "solve");
    assert_eq!(closed_by(&solved, "Main", &wire(2, 0, "Input")), None);
    // Through a model.
    let through =
        inner(Sketch::new(1.0)).block(0, "model Inner", &[]).block(1, "Math/Gain", &[]).wire("0.y", "1.Input");
    assert_eq!(closed_by(&through.simulation, "Main", &wire(1, 0, "u")), Some(vec![0, 1]));
    assert_eq!(closed_by(&through.simulation, "Main", &wire(1, 0, "w")), None);
}

/// A wire in a model may close a loop around the model's instance.
#[test]
fn a_wire_in_a_model_may_close_a_loop_outside() {
    let cut = |loops: &str| {
        let mut simulation = Sketch::new(1.0)
            .block_in("Inner", 0, "entry u", &[])
            .block_in("Inner", 1, "Math/Gain", &[])
            .block_in("Inner", 2, "exit y", &[])
            .wires("Inner", &[("1.Output", "2.Input")])
            .block(3, "model Inner", &[])
            .block(4, "Math/Abs", &[])
            .wires("Main", &[("3.y", "4.Input"), ("4.Output", "3.u")])
            .simulation;
        simulation.attributes.set("loops", loops);
        simulation
    };
    let anywhere = |simulation: &Simulation, model: &str, connection: &Connection| {
        loop_closed_anywhere(simulation, &Registry::standard(), model, connection)
            .map(|(name, hops)| (name.to_string(), hops.iter().map(|hop| hop.block.0).collect::<Vec<_>>()))
    };
    let closing = wire(0, 1, "Input");
    assert_eq!(closed_by(&cut("refuse"), "Inner", &closing), None, "the loop is not in this model");
    let (name, mut ids) = anywhere(&cut("refuse"), "Inner", &closing).expect("a loop");
    ids.sort_unstable();
    assert_eq!((&*name, &ids[..]), ("Main", &[3, 4][..]));
    assert_eq!(anywhere(&cut("solve"), "Inner", &closing), None, "it is solved");
    assert_eq!(anywhere(&cut("refuse"), "Inner", &wire(1, 1, "Input")), Some(("Inner".to_owned(), vec![1])));
    // Nobody uses it.
    let mut unused = cut("refuse");
    unused.model_mut("Main").expect("the root").blocks.remove(&BlockId(3));
    assert_eq!(anywhere(&unused, "Inner", &closing), None);
    // A loop that was there before is not closed by it.
    let mut other = cut("refuse");
    let main = other.model_mut("Main").expect("the root");
    main.connect(wire(4, 4, "Input"));
    assert_eq!(anywhere(&other, "Inner", &closing), None);
}

#[test]
fn all_wires_are_kept_where_loops_are_solved_or_there_are_none() {
    let registry = Registry::standard();
    let mut simulation = gains(&[(0, 1)]).simulation;
    let open = vec![wire(1, 2, "Input"), wire(2, 3, "Input")];
    assert_eq!(without_loops(&simulation, &registry, "Main", open.clone()), open);
    let ring = vec![wire(1, 2, "Input"), wire(2, 0, "Input"), wire(2, 3, "Input")];
    assert_eq!(without_loops(&simulation, &registry, "Main", ring.clone()), [ring[0].clone(), ring[2].clone()]);
    simulation.attributes.set("loops", "solve");
    assert_eq!(without_loops(&simulation, &registry, "Main", ring.clone()), ring);
}

/// Sums with the even ids and delays with the odd ones; each wire leads to one of two inputs.
fn sums_and_delays(wires: &[(u64, u64, bool)]) -> Simulation {
    let add = |sketch: Sketch, id: u64| match id % 2 {
        0 => sketch.block(id, "Math/Sum", &[("Signs", &["++"])]),
        _ => sketch.block(id, "Discrete/Unit Delay", &[]),
    };
    let mut simulation = (0..NODES).fold(Sketch::new(1.0), add).simulation;
    let main = simulation.model_mut("Main").expect("the root");
    wires.iter().for_each(|wire| drop(main.connect(into(*wire))));
    simulation
}

const NODES: u64 = 10;

fn into((from, to, is_second): (u64, u64, bool)) -> Connection {
    wire(from, to, if to % 2 == 1 { "Input" } else { ["Input 1", "Input 2"][usize::from(is_second)] })
}

proptest! {
    #![proptest_config(crate::random_cases(400))]

    /// A new wire closes a loop where its source is reached from its target by sums alone.
    #[test]
    fn a_wire_closes_a_loop_where_sums_lead_back(
        wires in proptest::collection::vec((0..NODES, 0..NODES, any::<bool>()), 0..14),
        new in (0..NODES, 0..NODES, any::<bool>()),
    ) {
        let simulation = sums_and_delays(&wires);
        let connection = into(new);
        let mut reached = vec![false; NODES as usize];
        reached[new.1 as usize] = new.1 % 2 == 0;
        let main = simulation.model("Main").expect("the root");
        for _ in 0..NODES {
            for (key, wire) in &main.connections {
                // The new wire takes the place of the one that the input has.
                let is_kept = *key != connection.key();
                if is_kept && wire.to.0 % 2 == 0 && reached[wire.from.0 as usize] {
                    reached[wire.to.0 as usize] = true;
                }
            }
        }
        let found = loop_closed_by(&simulation, &Registry::standard(), "Main", &connection);
        prop_assert_eq!(found.is_some(), reached[new.0 as usize], "{:?} to {:?}", new, wires);
    }

    /// Several wires at once, as a paste brings them, are refused where sums alone form a cycle with one of them.
    #[test]
    fn wires_close_a_loop_together_where_sums_form_a_cycle(
        wires in proptest::collection::vec((0..NODES, 0..NODES, any::<bool>()), 0..6),
        new in proptest::collection::vec((0..NODES, 0..NODES, any::<bool>()), 1..9),
    ) {
        let simulation = sums_and_delays(&wires);
        prop_assume!(!has_cycle_of_sums(&simulation));
        let edit = |wire: &_| Edit::Connect { model: "Main".into(), connection: Box::new(into(*wire)) };
        let change = Change::new("Paste", new.iter().map(edit).collect());
        let mut connected = simulation.clone();
        new.iter().for_each(|wire| drop(connected.model_mut("Main").expect("the root").connect(into(*wire))));
        let refused = change.applied(&simulation, &Registry::standard());
        prop_assert_eq!(refused.is_err(), has_cycle_of_sums(&connected), "{:?} to {:?}", new, wires);
    }
}

/// Takes away sums that depend on no other sum until there are none, or only cycles and what depends on them.
fn has_cycle_of_sums(simulation: &Simulation) -> bool {
    let wires = simulation.model("Main").expect("the root").connections.values();
    let wires: Vec<(u64, u64)> = wires
        .map(|wire| (wire.from.0 as u64, wire.to.0 as u64))
        .filter(|(from, to)| from % 2 == 0 && to % 2 == 0)
        .collect();
    let mut left: Vec<u64> = (0..NODES).step_by(2).collect();
    loop {
        let free = left.iter().position(|sum| !wires.iter().any(|(from, to)| to == sum && left.contains(from)));
        match free {
            Some(free) => drop(left.remove(free)),
            None => return !left.is_empty(),
        }
    }
}
