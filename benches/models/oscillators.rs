//! A large model in which everything moves.

use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

/// Two hundred and fifty oscillators of four blocks.
pub fn thousand_blocks() -> Simulation {
    let mut model = Model::new("Main");
    for number in 0..250_u64 {
        let id = |part: u64| BlockId((4 * number + part).into());
        let block = |part, group: &str, name: &str| Block::new(id(part), BlockKind::library(group, name));
        let gain = format!("{}", -1.0 - number as f64 / 100.0);
        model.add_block(block(0, "Math", "Integrate").with_option("Initial Value", &["1"]));
        model.add_block(block(1, "Math", "Integrate"));
        model.add_block(block(2, "Math", "Gain").with_option("Gain", &[gain.as_str()]));
        model.add_block(block(3, "Discrete", "Unit Delay"));
        for (from, to) in [(0, 2), (2, 1), (1, 0), (0, 3)] {
            model.connect(Connection::new(id(from), "Output", id(to), "Input"));
        }
    }
    let mut simulation = Simulation::default();
    (simulation.delta, simulation.root) = (0.001, "Main".into());
    simulation.add_model(model);
    simulation
}
