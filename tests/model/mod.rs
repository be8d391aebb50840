//! The document: atomic edits, undo and redo.

mod checks;
mod commented;
mod copies;
mod edits;
mod expressions;
mod fixes;
mod follows;
pub mod levels;
mod listeners;
mod marks;
mod masks;
mod pastes;
mod paths;
mod renamed_variables;
mod replaced;
mod rings;
mod seeds;
mod tags;
mod units;
mod variables;
mod variants;

use std::sync::Arc;

use simulate::block::Registry;
use simulate::format::Formats;
use simulate::model::{BlockId, BlockPorts, Change, Document, Edit, Simulation, block_ports};

use crate::sketch::Sketch;

/// A root with one instance of a model that has a free and a paired entry.
fn nested() -> Simulation {
    let sketch = Sketch::new(1.0)
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "exit y", &[])
        .block_in("Inner", 2, "entry x", &[])
        .block_in("Inner", 3, "exit x", &[])
        .wire_in("Inner", "0.Output", "1.Input")
        .wire_in("Inner", "2.Output", "3.Input")
        .block(0, "Var/Static", &[])
        .block(1, "model Inner", &[])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.u")
        .wire("1.y", "2.Input");
    sketch.simulation
}

fn document(simulation: Simulation) -> Document {
    Document::new(simulation, Registry::standard())
}

#[track_caller]
fn apply(document: &mut Document, edit: Edit) {
    document.apply(&Change::one("Edit", edit)).expect("the edit is allowed");
}

fn ports(document: &Document, model: &str, id: u64) -> (Vec<String>, Vec<String>) {
    let simulation = document.simulation();
    let model = simulation.model(model).expect("the model");
    let block = model.block(BlockId(id.into())).expect("the block");
    let BlockPorts { inputs, outputs } = block_ports(simulation, document.registry(), model, block);
    let texts = |names: Vec<Arc<str>>| names.iter().map(ToString::to_string).collect();
    (texts(inputs), texts(outputs))
}

fn bytes(simulation: &Simulation) -> Vec<u8> {
    let formats = Formats::standard();
    let loader = formats.iter().next().expect("a format");
    loader.write(simulation).expect("it can be written")
}
