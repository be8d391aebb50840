//! The way back from a value that is no finite number to the operation that made it, as text.

use std::sync::Arc;

use crate::engine::{Chain, Context, Execute, Link, LinkInput, Program};
use crate::model::{Simulation, block_text};

/// The begins of the last two blocks of steps, from which a step before a failed one is made again.
#[derive(Default)]
pub struct Begins {
    last: Option<Context>,
    before: Option<Context>,
}

impl Begins {
    /// Notes where a block of steps begins.
    pub fn note(&mut self, context: &Context) {
        self.before = self.last.take();
        self.last = Some(context.clone());
    }

    /// Why the step failed at whose begin the context is.
    pub fn chain(&self, program: &Arc<Program>, execute: &mut dyn Execute, failed: &Context) -> Option<Chain> {
        let mut earlier = [&self.last, &self.before].into_iter().flatten();
        let earlier = earlier.find(|earlier| earlier.step < failed.step);
        Chain::after(program, execute, earlier.unwrap_or(failed), failed)
    }
}

/// A line for each block on the way, and one for what stood at its inputs.
pub fn text(chain: &Chain, simulation: &Simulation) -> String {
    let lines = chain.links.iter().enumerate().map(|(number, link)| {
        let lead = if number == 0 { "why:" } else { " <- " };
        let inputs: Vec<String> = link.inputs.iter().map(LinkInput::text).collect();
        let inputs = if inputs.is_empty() { String::new() } else { format!("\n      with {}", inputs.join("; ")) };
        format!("  {lead} {}{}{inputs}", link.text(), place(link, simulation))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Where a block stands that is in another model block.
fn place(link: &Link, simulation: &Simulation) -> String {
    match &link.block {
        (path, _) if path.is_empty() => String::new(),
        (path, block) => format!("\n      block: {}", block_text(simulation, path, *block)),
    }
}
