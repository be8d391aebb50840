//! Every block of the library that can be exported: its examples, and difficult inputs after them.

use simulate::block::expression::NoNames;
use simulate::block::{BlockDef, Example, Registry, Settings, library};
use simulate::engine::compile;
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use super::bench::{BUILDS, Case, Trial, check};

/// Difficult input values.
const NASTY: [f64; 13] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.5,
    1e300,
    -1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE / 4.0,
    f64::MAX,
    f64::EPSILON,
];

/// The blocks that cannot be exported, with the reason.
const REFUSED: &[(&str, &str)] = &[];

/// Returns a simulation with the block between entries and exits.
fn simulation(def: &'static BlockDef, example: &Example) -> Simulation {
    let texts =
        |name: &str| example.options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.to_vec());
    let (settings, _) = Settings::read(def, texts, &NoNames);
    let mut simulation = Simulation::new("Main");
    simulation.delta = example.delta;
    simulation.attributes.set("solver", "rk4");
    let model = simulation.model_mut("Main").expect("the root");
    let block = Block::new(BlockId(0), BlockKind::library(def.group, def.name));
    model.add_block(example.options.iter().fold(block, |block, (name, values)| block.with_option(name, values)));
    for (input, name) in def.inputs.names(&settings).iter().enumerate() {
        let id = BlockId(1000 + input as i128);
        let entry = Block::new(id, BlockKind::entry(&format!("in{input}")));
        model.add_block(entry.with_option("Initial Value", &vec!["1"; example.width(input)]));
        model.connect(Connection::new(id, "Output", BlockId(0), name));
    }
    for (output, name) in def.outputs.names(&settings).iter().enumerate() {
        let id = BlockId(2000 + output as i128);
        model.add_block(Block::new(id, BlockKind::exit(&format!("out{output}"))));
        model.connect(Connection::new(BlockId(0), name, id, "Input"));
    }
    simulation
}

/// The inputs of an example step by step, then difficult ones.
fn inputs(example: &Example) -> Vec<(String, Vec<Vec<f64>>)> {
    let inputs = example.inputs.iter().enumerate().map(|(input, values)| {
        let width = example.width(input).max(1);
        let mut rows: Vec<Vec<f64>> = values.chunks(width).map(<[f64]>::to_vec).collect();
        for step in 0..2 * NASTY.len() {
            let element = |element: usize| NASTY[(step * (input + 1) + 5 * element + 3 * input) % NASTY.len()];
            rows.push((0..width).map(element).collect());
        }
        (format!("in{input}"), rows)
    });
    inputs.collect()
}

#[test]
fn each_block_that_can_be_exported_has_the_bits_of_the_engine() {
    let mut cases: Vec<Case> = Vec::new();
    let mut refused: Vec<(String, String)> = Vec::new();
    for def in library::defs() {
        for (number, example) in def.examples.iter().enumerate() {
            let simulation = simulation(def, example);
            if compile(&simulation, &Registry::standard()).is_err() {
                // Tags and files need more than the block.
                refused.push((format!("{}/{}", def.group, def.name), "does not compile alone".to_owned()));
                continue;
            }
            let inputs = inputs(example);
            let steps = inputs.iter().map(|(_, rows)| rows.len()).max().unwrap_or(20) as u64;
            let name = format!("{}_{}_{number}", def.group, def.name);
            let trial = Trial { inputs, ..Trial::new(&name, simulation, steps) };
            match trial.case() {
                Ok(case) => cases.push(case),
                Err(refusal) => refused.push((format!("{}/{}", def.group, def.name), refusal.to_string())),
            }
        }
    }
    refused.dedup_by(|a, b| a.0 == b.0);
    let refused: Vec<(&str, &str)> = refused.iter().map(|(block, reason)| (&**block, &**reason)).collect();
    assert!(cases.len() > 250, "{} examples", cases.len());
    check(&cases, &BUILDS[..1]);
    assert_eq!(refused, REFUSED, "the list of blocks that cannot be exported");
}
