//! Random models: the code computes what the reference engine does.

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use simulate::block::Registry;
use simulate::engine::{Solver, compile};
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation, block_ports};

use super::bench::{BUILDS, Build, Case, Trial, all_builds, check};
use crate::random::models::{Drawing, drawing};

/// Models that are tried together in one program.
const TOGETHER: usize = 20;

/// The solvers that can be exported.
fn solver(number: usize) -> &'static str {
    let fixed: Vec<Solver> = Solver::ALL.into_iter().filter(|solver| !solver.is_variable()).collect();
    fixed[number % fixed.len()].name()
}

/// Returns the simulation of a drawing with an exit for each output of a block of the root.
pub fn observed(drawing: &Drawing, number: usize) -> Simulation {
    let mut simulation = drawing.simulation();
    simulation.attributes.set("solver", solver(number));
    let root = simulation.root.clone();
    let registry = Registry::standard();
    let model = simulation.model(&root).expect("the root");
    let mut wires = Vec::new();
    for block in model.blocks.values() {
        for name in block_ports(&simulation, &registry, model, block).outputs {
            wires.push((block.id, name));
        }
    }
    let before = simulation.clone();
    let model = simulation.model_mut(&root).expect("the root");
    for (number, (block, name)) in wires.iter().enumerate() {
        let exit = BlockId(10_000_000 + number as i128);
        model.add_block(Block::new(exit, BlockKind::exit(&format!("seen {number}"))));
        model.connect(Connection::new(*block, name, exit, "Input"));
    }
    if compile(&simulation, &registry).is_ok() { simulation } else { before }
}

/// The number of models: as many as the environment says.
fn count() -> usize {
    std::env::var("EXPORTED_MODELS").ok().and_then(|count| count.parse().ok()).unwrap_or(40)
}

#[test]
fn random_models_have_the_bits_of_the_engine_with_each_compiler() {
    let mut runner = TestRunner::new(crate::random_cases(1));
    let steps = if count() > 60 { 1000 } else { 40 };
    let (mut exported, mut refused, mut drawn) = (0, 0, 0);
    while exported < count() {
        let mut cases: Vec<Case> = Vec::new();
        while cases.len() < TOGETHER.min(count() - exported) {
            let drawing = drawing().new_tree(&mut runner).expect("a drawing").current();
            let simulation = observed(&drawing, drawn);
            drawn += 1;
            if compile(&simulation, &Registry::standard()).is_err() {
                continue;
            }
            let trial = Trial {
                inlines_parameters: drawn % 4 == 0,
                engine: if steps > 100 { "flat" } else { "simple" },
                ..Trial::new(&format!("model_{drawn}"), simulation, steps)
            };
            match trial.case() {
                Ok(case) => cases.push(case),
                Err(_) => refused += 1,
            }
        }
        exported += cases.len();
        // All compilers see all models in the long form; here each sees a part.
        let builds: Vec<Build> = match exported / TOGETHER % 2 {
            _ if steps > 100 => {
                // In turn with each of the others.
                let others = &all_builds()[1..];
                vec![BUILDS[0], others[exported / TOGETHER % others.len()]]
            }
            1 => vec![BUILDS[0]],
            _ => vec![BUILDS[1], BUILDS[2]],
        };
        check(&cases, &builds);
        if steps > 100 {
            eprintln!("{exported} models equal, {refused} cannot be exported");
        }
    }
    assert!(refused < 2 * exported, "most models can be exported: {refused} cannot, {exported} can");
}
