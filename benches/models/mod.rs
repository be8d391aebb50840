//! Models that the benchmarks share.

#![allow(dead_code, reason = "each benchmark uses some of them")]

pub mod heavy;
pub mod oscillators;
pub mod seven;

use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

/// Chains of a source, gains and a sum with the neighbouring chain: ten columns, 15,000 wires for 10,000 blocks.
pub fn large(blocks: u64) -> Simulation {
    let mut model = Model::new("Main");
    for id in 0..blocks {
        let (row, column) = (id / 10, id % 10);
        let kind = match column {
            0 => BlockKind::library("Var", "Sine"),
            1 | 3 | 5 | 7 | 9 => BlockKind::library("Math", "Sum"),
            _ => BlockKind::library("Math", "Gain"),
        };
        let block = Block::new(BlockId(id.into()), kind).at(column as f64 * 120.0, row as f64 * 80.0);
        let block = if column % 2 == 0 && column > 0 { block.with_option("Gain", &["0.5"]) } else { block };
        model.add_block(block);
    }
    for id in 0..blocks {
        let (row, column) = (id / 10, id % 10);
        if column == 0 {
            continue;
        }
        let input = if column % 2 == 1 { "Input 1" } else { "Input" };
        model.connect(Connection::new(BlockId((id - 1).into()), "Output", BlockId(id.into()), input));
        if column % 2 == 1 {
            // The source of the row above, or the own one in the first row.
            let from = if row == 0 { 0 } else { (row - 1) * 10 };
            model.connect(Connection::new(BlockId(from.into()), "Output", BlockId(id.into()), "Input 2"));
        }
    }
    let mut simulation = Simulation::new("Main");
    simulation.steps = 1000;
    simulation.delta = 0.001;
    if let Some(main) = simulation.model_mut("Main") {
        let seq = main.seq;
        *main = model;
        main.seq = seq;
    }
    simulation
}

/// Models of about so many blocks: all in a row, side by side, nested, and unrelated ones.
pub fn sizes(blocks: usize) -> [(String, Simulation); 4] {
    use seven::{chain, nested, wide};
    let name = |what: &str| format!("{what}, {blocks}");
    [
        (name("in a row"), chain(blocks)),
        (name("branches"), wide(blocks / 3)),
        (name("uses"), nested((blocks / 34).max(1))),
        (name("unrelated"), large(blocks as u64)),
    ]
}
