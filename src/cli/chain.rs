//! The chain of causes of a non-finite value, back to the operation that produced it, as text.

use std::sync::Arc;

use crate::engine::{Chain, ChainLink, Context, Execute, LinkInput, Program};
use crate::model::Simulation;

/// The contexts at the start of the last two chunks of steps, for recomputing the step before a failed one.
#[derive(Default)]
pub struct ChunkStarts {
    last: Option<Context>,
    before: Option<Context>,
}

impl ChunkStarts {
    /// Stores the context at the start of a chunk.
    pub fn push(&mut self, context: &Context) {
        self.before = self.last.take();
        self.last = Some(context.clone());
    }

    /// Finds the cause of a failed step; `failed` is the context at its start.
    pub fn chain(&self, program: &Arc<Program>, execute: &mut dyn Execute, failed: &Context) -> Option<Chain> {
        let mut earlier = [&self.last, &self.before].into_iter().flatten();
        let earlier = earlier.find(|earlier| earlier.step < failed.step);
        Chain::after(program, execute, earlier.unwrap_or(failed), failed)
    }
}

/// Formats a chain: a line for each block, and one for its inputs.
pub fn text(chain: &Chain, simulation: &Simulation) -> String {
    let lines = chain.links.iter().enumerate().map(|(number, link)| {
        let lead = if number == 0 { "why:" } else { " <- " };
        let inputs: Vec<String> = link.inputs.iter().map(LinkInput::text).collect();
        let inputs = if inputs.is_empty() { String::new() } else { format!("\n      with {}", inputs.join("; ")) };
        format!("  {lead} {}{}{inputs}", link.text(), path_text(link, simulation))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Formats the path of a block inside a model block; empty at the root.
fn path_text(link: &ChainLink, simulation: &Simulation) -> String {
    match link.block.path.is_empty() {
        true => String::new(),
        false => format!("\n      block: {}", link.block.text(simulation)),
    }
}
