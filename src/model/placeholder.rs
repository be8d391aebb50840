//! Placeholders: blocks that stand for a block of another program, which has no counterpart here.
//!
//! A placeholder is `<block group="Placeholder" name="S-Function" inputs="2" outputs="1" origin="Simulink R2019b">` with the
//! parameters of the other program as `<data name="source:…">`. It keeps its ports, wires and all it was made from, and can
//! be replaced by a block or a model. A simulation with one does not run.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Attributes, Block, BlockId, BlockKind, BlockPorts, Diagnostic};

/// More ports than any block has.
const MAX_PORTS: usize = 10_000;

impl Block {
    /// The group of placeholders, which no library and no plug-in has.
    pub const PLACEHOLDERS: &str = "Placeholder";

    /// Returns a placeholder for a block of another program.
    pub fn placeholder(id: BlockId, kind: &str, inputs: usize, outputs: usize) -> Block {
        let mut block = Block::new(id, BlockKind::library(Block::PLACEHOLDERS, kind));
        block.attributes.set("inputs", &inputs.min(MAX_PORTS).to_string());
        block.attributes.set("outputs", &outputs.min(MAX_PORTS).to_string());
        block
    }

    pub fn is_placeholder(&self) -> bool {
        matches!(&self.kind, BlockKind::Library { group, .. } if &**group == Block::PLACEHOLDERS)
    }
}

/// Adds the ports that a placeholder states to those that its wires name.
pub(super) fn ports(block: &Block, used: BlockPorts) -> BlockPorts {
    BlockPorts {
        inputs: side(&block.attributes, "inputs", "Input", used.inputs),
        outputs: side(&block.attributes, "outputs", "Output", used.outputs),
    }
}

fn side(attributes: &Attributes, count: &str, stem: &str, used: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let count = attributes.get(count).and_then(|text| text.trim().parse().ok()).unwrap_or(0).min(MAX_PORTS);
    let mut ports: Vec<Arc<str>> = (1..=count).map(|number| format!("{stem} {number}").into()).collect();
    let known: BTreeSet<Arc<str>> = ports.iter().cloned().collect();
    ports.extend(used.into_iter().filter(|port| !known.contains(port)));
    ports
}

/// Returns the error of a simulation with a placeholder.
pub(super) fn missing(name: &str) -> Diagnostic {
    let message = format!("this block stands for “{name}” of another program, which has no counterpart here");
    let help = "replace it by a block or a model, which keeps its wires, or comment it out";
    Diagnostic::error("placeholder", message).help(help)
}
