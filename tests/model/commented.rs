//! Blocks that are commented out or through.

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, compile, diagnose};
use simulate::format::{Loader as _, simx::Simx};
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};
use std::sync::Arc;

/// 3, times 2, plus 10: 16; the gain or the sum is commented.
fn simulation(gain: &str, sum: &str) -> Simulation {
    let mut simulation = Simulation::new("Main");
    simulation.steps = 2;
    let model = simulation.model_mut("Main").expect("the root");
    let commented = |mut block: Block, comment: &str| {
        if !comment.is_empty() {
            block.attributes.set("comment", comment);
        }
        block
    };
    model.add_block(Block::new(BlockId(0), BlockKind::library("Var", "Static")).with_option("Value", &["3"]));
    let block = Block::new(BlockId(1), BlockKind::library("Math", "Gain")).with_option("Gain", &["2"]);
    model.add_block(commented(block, gain));
    model.add_block(Block::new(BlockId(2), BlockKind::library("Var", "Static")).with_option("Value", &["10"]));
    let block = Block::new(BlockId(3), BlockKind::library("Math", "Sum"));
    model.add_block(commented(block, sum));
    model.add_block(Block::new(BlockId(4), BlockKind::exit("y")));
    for (from, to, input) in [(0, 1, "Input"), (1, 3, "Input 1"), (2, 3, "Input 2"), (3, 4, "Input")] {
        model.connect(Connection::new(BlockId(from), "Output", BlockId(to), input));
    }
    simulation
}

fn result(simulation: &Simulation, engine: &str) -> Option<Vec<f64>> {
    let program = Arc::new(compile(simulation, &Registry::standard()).expect("a program"));
    let engines = Engines::standard();
    let mut execute = engines.get(engine).expect("the engine").prepare(&program).expect("it can");
    let mut context = Context::new(&program);
    execute.run(&mut context, 2, &mut Samples::default()).expect("it runs");
    context.exits(&program).into_iter().next().and_then(|(_, values)| values)
}

#[test]
fn runs_are_as_if_they_were_not_there() {
    for engine in ["simple", "flat", "compiled"] {
        assert_eq!(result(&simulation("", ""), engine), Some(vec![16.0]));
        assert_eq!(result(&simulation("through", ""), engine), Some(vec![13.0]));
        // The first input goes to the only output.
        assert_eq!(result(&simulation("", "through"), engine), Some(vec![6.0]));
        assert_eq!(result(&simulation("through", "through"), engine), Some(vec![3.0]));
        // A sum with an open input does not run, nor does what it feeds.
        assert_eq!(result(&simulation("out", ""), engine), None);
    }
}

/// A block that would be an error is none while it is commented out, and the file keeps the comment.
#[test]
fn faulty_blocks_can_be_commented_out() {
    let mut faulty = simulation("", "");
    let model = faulty.model_mut("Main").expect("the root");
    model.add_block(Block::new(BlockId(9), BlockKind::library("Math", "Unheard Of")));
    assert!(diagnose(&faulty, &Registry::standard()).iter().any(|found| found.code == "unknown-block"));
    let model = faulty.model_mut("Main").expect("the root");
    model.block_mut(BlockId(9)).expect("the block").attributes.set("comment", "out");
    assert!(diagnose(&faulty, &Registry::standard()).iter().all(|found| found.code != "unknown-block"));
    let text = String::from_utf8(Simx.write(&faulty).expect("a file")).expect("text");
    assert!(text.contains("comment=\"out\""), "{text}");
}
