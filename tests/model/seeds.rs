//! Which blocks draw the same random numbers: those of one kind, with one seed, in model blocks of the same seeds and in
//! the same iteration, and no others.

use std::collections::BTreeSet;

use simulate::block::{Registry, Unary};
use simulate::engine::compile;
use simulate::model::{
    Block, BlockId, BlockKind, Change, ChangeKind, Document, Edit, Fragment, Pasted, Position, expand, group,
};

use crate::sketch::{Run, Sketch};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// Returns the values of the exits in the first steps, which are the same on every engine.
fn exits(sketch: &Sketch, names: &[&str], steps: usize) -> Vec<Vec<Vec<f64>>> {
    let mut all = ENGINES.map(|engine| {
        let mut run = Run::new(&sketch.simulation, engine);
        let step = |_| {
            run.steps(1);
            names.iter().map(|name| run.exit(name)).collect::<Vec<_>>()
        };
        (0..steps).map(step).collect::<Vec<_>>()
    });
    assert_eq!(all[0], all[1], "flat");
    assert_eq!(all[0], all[2], "compiled");
    std::mem::take(&mut all[0])
}

/// The number of steps in which two values are equal.
fn equal_steps(trace: &[Vec<Vec<f64>>], one: usize, other: usize) -> usize {
    trace.iter().filter(|step| step[one] == step[other]).count()
}

#[test]
fn different_blocks_of_one_seed_draw_different_numbers() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Random", &[])
        .block(1, "Var/Noise", &[])
        .block(2, "Var/Band-Limited White Noise", &[("Noise Power", &["1"])])
        .block(3, "Var/Signal Generator", &[("Wave", &["random"])])
        .block(4, "Var/Random", &[])
        .block(10, "exit a", &[])
        .block(11, "exit b", &[])
        .block(12, "exit c", &[])
        .block(13, "exit d", &[])
        .block(14, "exit e", &[])
        .wires("Main", &[("0.Output", "10.Input"), ("1.Output", "11.Input"), ("2.Output", "12.Input")])
        .wires("Main", &[("3.Output", "13.Input"), ("4.Output", "14.Input")]);
    let mut trace = exits(&sketch, &["a", "b", "c", "d", "e"], 100);
    // All as uniform numbers between 0 and 1; Φ by its inverse, bisected.
    let uniform = |value: f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if Unary::Probit.value(middle) < value { low = middle } else { high = middle }
        }
        low
    };
    for step in &mut trace {
        step[1][0] = uniform(step[1][0]);
        step[2][0] = uniform(step[2][0]);
        step[3][0] = (step[3][0] + 1.0) / 2.0;
    }
    assert_eq!(equal_steps(&trace, 0, 4), 100, "one kind of block and one seed");
    for (one, other) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        let pairs = trace.iter().map(|step| (step[one][0], step[other][0]));
        let is_near = |(a, b): &(f64, f64)| (a - b).abs() < 1e-6;
        assert_eq!(pairs.clone().filter(is_near).count(), 0, "{one} and {other}");
        // The correlation of 100 independent pairs has the deviation 1/10.
        let correlation = pairs.map(|(a, b)| 12.0 * (a - 0.5) * (b - 0.5)).sum::<f64>() / 100.0;
        assert!(correlation.abs() < 0.4, "{one} and {other}: {correlation}");
    }
}

/// A model with a source of noise, used twice, and the seeds of the two uses.
fn two_uses(seeds: [&str; 2]) -> Sketch {
    let sketch = Sketch::new(1.0)
        .block(0, "model Source", &[])
        .block(1, "model Source", &[])
        .block(2, "exit a", &[])
        .block(3, "exit b", &[])
        .wires("Main", &[("0.y", "2.Input"), ("1.y", "3.Input")])
        .block_in("Source", 0, "Var/Noise", &[])
        .block_in("Source", 1, "exit y", &[])
        .wires("Source", &[("0.Output", "1.Input")]);
    sketch.mark("Main", 0, &[("seed", seeds[0])]).mark("Main", 1, &[("seed", seeds[1])])
}

#[test]
fn uses_of_a_model_draw_by_their_seeds() {
    for (seeds, is_equal) in [(["0", ""], true), (["0", "1"], false), (["2", "1"], false), (["3", "3"], true)] {
        let trace = exits(&two_uses(seeds), &["a", "b"], 50);
        assert_eq!(equal_steps(&trace, 0, 1), if is_equal { 50 } else { 0 }, "{seeds:?}");
    }
    let problems = compile(&two_uses(["0", "one"]).simulation, &Registry::standard()).expect_err("no seed");
    assert_eq!(problems[0].code, "bad-attribute");
}

/// Levels of seeds have an order, and their numbers do not run into one another.
#[test]
fn nested_seeds_are_a_path() {
    let nested = |outer: &str, inner: &str| {
        let sketch = Sketch::new(1.0)
            .block(0, "model Outer", &[])
            .block(1, "exit y", &[])
            .wires("Main", &[("0.y", "1.Input")])
            .block_in("Outer", 0, "model Inner", &[])
            .block_in("Outer", 1, "exit y", &[])
            .wires("Outer", &[("0.y", "1.Input")])
            .block_in("Inner", 0, "Var/Random", &[])
            .block_in("Inner", 1, "exit y", &[])
            .wires("Inner", &[("0.Output", "1.Input")]);
        let sketch = sketch.mark("Main", 0, &[("seed", outer)]).mark("Outer", 0, &[("seed", inner)]);
        exits(&sketch, &["y"], 3)
    };
    assert_eq!(nested("0", "5"), nested("5", "0"), "zeros are left out");
    let different = [nested("0", "0"), nested("5", "0"), nested("1", "2"), nested("2", "1"), nested("1", "1")];
    for (number, one) in different.iter().enumerate() {
        assert!(different[..number].iter().all(|other| other != one), "{number}");
    }
}

#[test]
fn grouping_and_expanding_keep_the_numbers() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Noise", &[("Seed", &["4"])])
        .block(1, "Math/Gain", &[])
        .block(2, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")]);
    let before = exits(&sketch, &["y"], 10);
    let mut document = Document::new(sketch.simulation.clone(), Registry::standard());
    let simulation = std::sync::Arc::clone(document.simulation());
    let main = simulation.model("Main").expect("the root");
    let ids = BTreeSet::from([BlockId(0), BlockId(1)]);
    let (edits, instance) = group(&simulation, main, &ids, "Part").expect("blocks to group");
    document.apply(&Change::new("Group", edits)).expect("it is grouped");
    let grouped = Sketch { simulation: (**document.simulation()).clone() };
    assert_eq!(exits(&grouped, &["y"], 10), before);

    // With a seed of its own the use draws other numbers, and still the same ones when it is expanded.
    let seeded = grouped.mark("Main", instance.0 as u64, &[("seed", "9")]);
    let wanted = exits(&seeded, &["y"], 10);
    assert_ne!(wanted, before);
    let mut document = Document::new(seeded.simulation, Registry::standard());
    let simulation = std::sync::Arc::clone(document.simulation());
    let (edits, _) = expand(&simulation, simulation.model("Main").expect("the root"), instance).expect("it expands");
    document.apply(&Change::new("Expand", edits)).expect("it is expanded");
    let expanded = Sketch { simulation: (**document.simulation()).clone() };
    assert_eq!(exits(&expanded, &["y"], 10), wanted);
}

/// Each element of a for-each model, and each iteration of nested loops, draws its own number; a step later all are new.
#[test]
fn every_iteration_draws_its_own_numbers() {
    let each = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["0", "0", "0", "0"])])
        .block(1, "model Each", &[])
        .block(2, "exit y", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.Input")])
        .block_in("Each", 0, "entry u", &[])
        .mark("Each", 0, &[("role", "each")])
        .block_in("Each", 1, "Var/Random", &[])
        .block_in("Each", 2, "Math/Sum", &[])
        .block_in("Each", 3, "exit y", &[])
        .wires("Each", &[("0.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "3.Input")]);
    let drawn: Vec<f64> = exits(&each, &["y"], 5).concat().concat();
    assert_eq!(drawn.len(), 20);
    assert_eq!(distinct(&drawn), 20);

    // The tapped delay holds what three times four runs of a step have drawn.
    let loops = |inner: &str| {
        Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &["3"])])
            .block(1, "model Outer", &[])
            .block(2, "exit y", &[])
            .wires("Main", &[("0.Output", "1.n"), ("1.y", "2.Input")])
            .block_in("Outer", 0, "entry n", &[])
            .mark("Outer", 0, &[("role", "for")])
            .block_in("Outer", 1, "Var/Static", &[("Value", &["4"])])
            .block_in("Outer", 2, "model Inner", &[])
            .block_in("Outer", 4, "exit y", &[])
            .wires("Outer", &[("1.Output", "2.n"), ("2.y", "4.Input")])
            .block_in("Inner", 0, "entry n", &[])
            .mark("Inner", 0, &[("role", "for"), ("states", inner)])
            .block_in("Inner", 1, "Var/Random", &[])
            .block_in("Inner", 2, "Discrete/Tapped Delay", &[("Taps", &["11"]), ("Include Current", &["1"])])
            .block_in("Inner", 3, "exit y", &[])
            .wires("Inner", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
    };
    let mut all = Vec::new();
    for step in exits(&loops("hold"), &["y"], 4) {
        assert_eq!(step[0].len(), 12);
        all.extend_from_slice(&step[0]);
    }
    assert_eq!(distinct(&all), 48);
    // With states that are reset, the last four of each step are those of the last iteration of the outer loop.
    let held = exits(&loops("hold"), &["y"], 2);
    let reset = exits(&loops("reset"), &["y"], 2);
    for step in 0..2 {
        assert_eq!(reset[step][0][8..], held[step][0][8..], "step {step}");
    }
}

fn distinct(values: &[f64]) -> usize {
    values.iter().map(|value| value.to_bits()).collect::<BTreeSet<_>>().len()
}

/// What is inserted, pasted or duplicated gets free seeds; what is alone keeps its own.
#[test]
fn new_blocks_get_free_seeds() {
    let mut document = Document::new(two_uses(["", ""]).simulation, Registry::standard());
    let seed_of = |document: &Document, model: &str, id: i128| {
        let block = document.simulation().model(model).and_then(|model| model.block(BlockId(id)).cloned());
        let block = block.expect("the block");
        let option = block.option_texts("Seed").map(|texts| texts.join(" "));
        option.or(block.attributes.get("seed").map(str::to_owned))
    };
    let add = |document: &mut Document, id: i128, kind: BlockKind| {
        let block = Box::new(Block::new(BlockId(id), kind));
        let change = Change::one("Add", Edit::AddBlock { model: "Main".into(), block });
        document.apply(&change.of_kind(ChangeKind::InsertBlock)).expect("it is added");
    };
    // Seed 0 is that of the noise in Source.
    add(&mut document, 10, BlockKind::library("Var", "Noise"));
    add(&mut document, 11, BlockKind::library("Var", "Random"));
    add(&mut document, 12, BlockKind::library("Math", "Gain"));
    add(&mut document, 13, BlockKind::model("Source"));
    assert_eq!(seed_of(&document, "Main", 10).as_deref(), Some("1"));
    assert_eq!(seed_of(&document, "Main", 11).as_deref(), Some("2"));
    assert_eq!(seed_of(&document, "Main", 12), None);
    assert_eq!(seed_of(&document, "Main", 13).as_deref(), Some("1"));

    let main = std::sync::Arc::clone(document.simulation());
    let main = main.model("Main").expect("the root");
    let copied = Fragment::of(main, &[BlockId(10), BlockId(11), BlockId(13)]);
    let shift = Position { x: 10.0, y: 10.0 };
    let Pasted { edits, ids, .. } = copied.paste_into(document.simulation(), &Registry::standard(), main, shift);
    document.apply(&Change::new("Paste", edits).of_kind(ChangeKind::Paste)).expect("it is pasted");
    let pasted: Vec<_> = ids.iter().map(|id| seed_of(&document, "Main", id.0)).collect();
    assert_eq!(pasted, [Some("3".to_owned()), Some("4".to_owned()), Some("2".to_owned())]);

    // Cut and pasted, nothing else has its seed.
    let ids = vec![BlockId(11)];
    document.apply(&Change::one("Cut", Edit::RemoveBlocks { model: "Main".into(), ids })).expect("it is cut");
    let main = std::sync::Arc::clone(document.simulation());
    let main = main.model("Main").expect("the root");
    let mut cut = copied.clone();
    (cut.blocks, cut.connections) = (cut.blocks[1..2].to_vec(), Vec::new());
    let Pasted { edits, ids, .. } =
        cut.paste_into(document.simulation(), &Registry::standard(), main, Position::default());
    document.apply(&Change::new("Paste", edits).of_kind(ChangeKind::Paste)).expect("it is pasted");
    assert_eq!(seed_of(&document, "Main", ids[0].0).as_deref(), Some("2"));
}
