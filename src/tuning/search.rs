//! The blocks of a kind in a simulation, in all instances of its models.

use crate::block::{BlockDef, Registry};
use crate::model::{BlockAddress, BlockId, BlockKind, Model, Simulation, definition_of};

/// The most blocks that are listed, the deepest instances, and the most that are searched.
const MAX_FOUND: usize = 100;
const MAX_DEPTH: usize = 32;
const MAX_AHEAD: usize = 10_000;

/// Returns the blocks of a kind, sorted, up to a maximum.
pub(super) fn blocks_of(
    simulation: &Simulation,
    registry: &Registry,
    is_kind: impl Fn(&BlockDef) -> bool,
) -> Vec<BlockAddress> {
    let mut found = Vec::new();
    let mut ahead: Vec<(Vec<BlockId>, &Model)> =
        simulation.root_model().map(|root| (Vec::new(), &**root)).into_iter().collect();
    while let Some((path, model)) = ahead.pop() {
        for block in model.blocks.values() {
            match &block.kind {
                BlockKind::Model { model } if path.len() < MAX_DEPTH => {
                    let inner = simulation.model(model).map(|model| &**model);
                    let path = path.iter().copied().chain([block.id]).collect();
                    ahead.extend(inner.map(|model| (path, model)));
                }
                _ if definition_of(registry, block).is_some_and(&is_kind) => {
                    found.push(BlockAddress::new(&path, block.id));
                }
                _ => {}
            }
        }
        if found.len() >= MAX_FOUND || ahead.len() > MAX_AHEAD {
            break;
        }
    }
    found.sort();
    found
}
