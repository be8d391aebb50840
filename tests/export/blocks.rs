//! Every block of the library that can be exported: its examples, and difficult inputs after them.

use std::collections::BTreeMap;

use simulate::block::language::NoNames;
use simulate::block::{BlockDef, Example, Registry, Settings, library};
use simulate::conformance::NASTY;
use simulate::engine::compile;
use simulate::export::c::{Precision, Refusal};
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use super::bench::{BUILDS, Case, Trial, check, printed};

/// The blocks that cannot be exported, with the reason.
const REFUSED: [(&str, &str); 4] = [
    ("Matrix/Eigenvalues", NO_COUNTERPART),
    ("Matrix/Singular Values", NO_COUNTERPART),
    ("Flow/Repeat", "sets its output several times in a step"),
    ("Sink/To File", "writes a file"),
];
const NO_COUNTERPART: &str = "computes what has no counterpart in C";

/// Blocks that need a file or another block, so that they do not compile alone.
const NOT_ALONE: [&str; 5] =
    ["Var/From File", "Routing/From", "Routing/Data Store Read", "Routing/Data Store Write", "User/FMU"];

/// Stands for the example of a block that has none.
const DEFAULT: Example = Example { doc: "", options: &[], delta: 0.5, widths: &[], inputs: &[], outputs: &[] };

/// An example of a block.
#[derive(Clone, Copy)]
struct Part {
    def: &'static BlockDef,
    example: &'static Example,
}

/// Examples in one simulation: a compiler is quicker with few large files than with many small ones.
const TOGETHER: usize = 12;

/// Returns a simulation with the blocks, each between entries and exits of its own.
fn simulation(parts: &[Part]) -> Simulation {
    let mut simulation = Simulation::new("Main");
    simulation.delta = parts[0].example.delta;
    simulation.attributes.set("solver", "rk4");
    let model = simulation.model_mut("Main").expect("the root");
    for (number, Part { def, example }) in parts.iter().enumerate() {
        let texts =
            |name: &str| example.options.iter().find(|(known, _)| *known == name).map(|(_, values)| values.to_vec());
        let (settings, _) = Settings::read(def, texts, &NoNames);
        let first = 10_000 * number as i128;
        let block = Block::new(BlockId(first), BlockKind::library(def.group, def.name));
        model.add_block(example.options.iter().fold(block, |block, (name, values)| block.with_option(name, values)));
        for (input, name) in def.inputs.names(&settings).iter().enumerate() {
            let id = BlockId(first + 1000 + input as i128);
            let entry = Block::new(id, BlockKind::entry(&entry_name(number, input)));
            model.add_block(entry.with_option("Initial Value", &vec!["1"; example.width(input)]));
            model.connect(Connection::new(id, "Output", BlockId(first), name));
        }
        for (output, name) in def.outputs.names(&settings).iter().enumerate() {
            let id = BlockId(first + 2000 + output as i128);
            model.add_block(Block::new(id, BlockKind::exit(&format!("block{number} out{output}"))));
            model.connect(Connection::new(BlockId(first), name, id, "Input"));
        }
    }
    simulation
}

fn entry_name(number: usize, input: usize) -> String {
    format!("block{number}_in{input}")
}

/// The inputs of an example step by step, then difficult ones.
fn inputs(number: usize, example: &Example) -> Vec<(String, Vec<Vec<f64>>)> {
    let inputs = example.inputs.iter().enumerate().map(|(input, values)| {
        let width = example.width(input).max(1);
        let mut rows: Vec<Vec<f64>> = values.chunks(width).map(<[f64]>::to_vec).collect();
        for step in 0..2 * NASTY.len() {
            let element = |element: usize| NASTY[(step * (input + 1) + 5 * element + 3 * input) % NASTY.len()];
            rows.push((0..width).map(element).collect());
        }
        (entry_name(number, input), rows)
    });
    inputs.collect()
}

/// Returns the code of some examples, and what it must print.
fn case(name: &str, parts: &[Part], precision: Precision) -> Result<Case, Refusal> {
    let inputs: Vec<_> = parts.iter().enumerate().flat_map(|(number, part)| inputs(number, part.example)).collect();
    let steps = inputs.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0).max(20) as u64;
    Trial { inputs, precision, ..Trial::new(name, simulation(parts), steps) }.case()
}

/// The examples of all blocks as code, and the blocks that are refused or do not compile alone.
struct All {
    cases: Vec<Case>,
    refused: Vec<(String, String)>,
    not_alone: Vec<String>,
}

fn all(precision: Precision) -> All {
    let mut groups: BTreeMap<u64, Vec<Part>> = BTreeMap::new();
    let (mut refused, mut not_alone) = (Vec::new(), Vec::new());
    for def in library::defs() {
        let name = format!("{}/{}", def.group, def.name);
        let examples = if def.examples.is_empty() { &[DEFAULT][..] } else { def.examples };
        for example in examples {
            let part = Part { def, example };
            if compile(&simulation(&[part]), &Registry::standard()).is_err() {
                not_alone.push(name.clone());
                continue;
            }
            if let Err(refusal) = case("alone", &[part], precision) {
                refused.push((name.clone(), refusal.to_string()));
            } else {
                groups.entry(example.delta.to_bits()).or_default().push(part);
            }
        }
    }
    refused.dedup_by(|a, b| a.0 == b.0);
    let count: usize = groups.values().map(Vec::len).sum();
    assert!(count > 250, "{count} examples");
    let pieces = groups.values().flat_map(|parts| parts.chunks(TOGETHER)).enumerate();
    let cases = pieces.map(|(number, parts)| case(&format!("blocks_{number}"), parts, precision));
    All { cases: cases.map(|case| case.expect("each can be exported")).collect(), refused, not_alone }
}

#[test]
fn each_block_that_can_be_exported_has_the_bits_of_the_engine() {
    let All { cases, refused, not_alone } = all(Precision::Double);
    check(&cases, &BUILDS[..1]);
    assert_eq!(refused.len(), REFUSED.len(), "{refused:?}");
    for ((block, reason), (expected, text)) in refused.iter().zip(REFUSED) {
        assert!(block == expected && reason.ends_with(text), "{block}: {reason}");
    }
    assert_eq!(not_alone, NOT_ALONE);
}

/// What each block becomes is C without a warning in single precision, too, and computes the first step.
#[test]
fn each_block_can_be_in_single_precision() {
    let cases = all(Precision::Single).cases;
    let Some(texts) = printed(&cases, ("gcc", &["-O1", "-ffp-contract=off", "-Wdouble-promotion"])) else { return };
    for (case, text) in cases.iter().zip(&texts) {
        assert_eq!(text.lines().next(), case.expected.lines().next(), "{}", case.name);
        assert!(text.lines().count() > 1, "{}", case.name);
    }
}
