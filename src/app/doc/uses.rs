//! The text of a path to an instance of a model.

use crate::model::{BlockId, BlockKind, Simulation};

/// Formats a path from the root as `Plant / Motor #3`.
pub fn path_text(simulation: &Simulation, path: &[BlockId]) -> String {
    let Some(mut here) = simulation.root_model() else { return String::new() };
    let mut parts = Vec::new();
    for id in path {
        let Some(block) = here.block(*id) else { break };
        parts.push(format!("{} {id}", block.title()));
        let BlockKind::Model { model } = &block.kind else { break };
        let Some(inner) = simulation.model(model) else { break };
        here = inner;
    }
    if parts.is_empty() { here.name.to_string() } else { parts.join(" / ") }
}
