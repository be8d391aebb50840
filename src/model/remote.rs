//! Model blocks that run on another computer: the attribute `on` of a `<model>` tag names a pool of workers.
//!
//! A name, never an address: which computers a pool has is in the settings of a user, and not in a file that others
//! get. A remote block inside a remote block is a part of the outer one.

use std::sync::Arc;

use super::{Block, BlockId, BlockKind, Diagnostic, Simulation};

impl Block {
    /// The attribute of a model block with the name of the pool in whose workers it runs.
    pub const ON: &str = "on";

    /// The pool in whose workers a model block runs; none if it runs here.
    pub fn pool(&self) -> Option<&str> {
        let is_model = matches!(self.kind, BlockKind::Model { .. });
        let name = self.attributes.get(Block::ON).map(str::trim).filter(|name| !name.is_empty());
        name.filter(|_| is_model)
    }
}

/// Returns the model blocks that name a pool, each with its model.
pub fn remote_blocks(simulation: &Simulation) -> impl Iterator<Item = (&Arc<str>, BlockId, &str)> {
    simulation
        .models
        .iter()
        .flat_map(|(name, model)| model.blocks.iter().filter_map(move |(id, block)| Some((name, *id, block.pool()?))))
}

/// Reports an attribute `on` that is an address.
pub(super) fn check_pool(block: &Block) -> Option<Diagnostic> {
    let name = block.pool().filter(|name| name.contains(['/', ':', '@']))?;
    let message = format!("on is “{name}”, which is not the name of a pool");
    let help = "write the name of a pool of the settings, such as on=\"pool\"; the settings have its address";
    Some(Diagnostic::error("bad-attribute", message).help(help).about(Block::ON))
}

/// Reports a run whose remote block has no worker. The block itself has no error, so no edit can fix this.
pub fn no_worker(message: &str, pool: &str) -> Diagnostic {
    let help = format!("start a worker for “{pool}” and resume the run, or run all blocks on this computer");
    Diagnostic::error("no-worker", message).help(help)
}
