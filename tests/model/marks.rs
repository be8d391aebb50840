//! The signals that a run records by default.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::model::{BlockId, BlockPorts, Connection, InputKey, SignalKey, marked_signals};

use crate::sketch::Sketch;

/// In the order of the file, whichever numbers the blocks have: the root's exits, its signals, and those of its models.
#[test]
fn signals_are_recorded_in_the_order_of_the_file() {
    for ids in [[3, 7], [7, 3]] {
        let mut simulation = Sketch::new(1.0)
            .block_in("Inner", 0, "Var/Static", &[])
            .block_in("Inner", 1, "Math/Gain", &[])
            .wire_in("Inner", "0.Output", "1.Input")
            .block(ids[0], "model Inner", &[])
            .block(ids[1], "model Inner", &[])
            .block(1, "Var/Static", &[])
            .block(2, "exit y", &[])
            .wire("1.Output", "2.Input")
            .simulation;
        let inner = simulation.model_mut("Inner").expect("the model");
        let wire = inner.connections.get_mut(&InputKey::new(BlockId(1), "Input")).expect("the wire");
        Arc::make_mut(wire).attributes.set(Connection::NAME, "speed");
        let inside = |id: u64| SignalKey::new(&[BlockId(id.into())], BlockId(0), "Output");
        let exit = SignalKey::new(&[], BlockId(2), BlockPorts::INPUT);
        assert_eq!(marked_signals(&simulation, &Registry::standard()), [exit, inside(ids[0]), inside(ids[1])]);
    }
}
