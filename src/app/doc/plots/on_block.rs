//! Which blocks show a curve inside their frame, and which signals these need.
//!
//! The user's choice is the block attribute `view:curve`: `1` or `0`. Without it, blocks whose purpose is to show
//! curves do so.

use std::collections::HashSet;
use std::sync::Arc;

use super::names::inputs_of;
use crate::app::doc::reader::NameReader;
use crate::block::{BlockDef, Body, Face};
use crate::model::{Block, BlockId, BlockKind, BlockPorts, Model, SignalKey, Simulation, block_ports};

/// Block attribute: shows a curve.
pub const CURVE: &str = crate::model::PROBED;

/// Maximum number of signals of curves on blocks.
const MAX_SIGNALS: usize = 256;

/// Returns whether the frame of a block has space for a curve.
pub fn can_show_curve(def: Option<&BlockDef>) -> bool {
    def.is_none_or(|def| !matches!(def.look.body, Body::Bar | Body::Note | Body::Area))
}

/// Returns whether its purpose is to show curves.
fn is_default(def: Option<&BlockDef>) -> bool {
    def.is_some_and(|def| matches!(def.look.face, Face::Curve(_)))
}

/// Returns whether a block shows a curve once there is one.
pub fn shows_curve(block: &Block, def: Option<&BlockDef>) -> bool {
    match block.attributes.get(CURVE) {
        Some(text) => text == "1" && can_show_curve(def),
        None => is_default(def),
    }
}

/// Returns the attribute's value for showing a curve; None if that is the block's default.
pub fn value_to_show(def: Option<&BlockDef>) -> Option<&'static str> {
    (!is_default(def)).then_some("1")
}

/// The same for hiding it.
pub fn value_to_hide(def: Option<&BlockDef>) -> Option<&'static str> {
    is_default(def).then_some("0")
}

/// Returns the signals of the curves on blocks that the user chose, in all instances of their models; they are
/// recorded.
pub fn signals_on_blocks(reader: &NameReader) -> Vec<SignalKey> {
    let (simulation, registry) = (reader.simulation, reader.registry);
    let mut found = Vec::new();
    let is_wanted = |block: &Block| block.attributes.get(CURVE) == Some("1");
    each_block_with(simulation, &is_wanted, &mut |path, model, block| {
        reader.note(path, Some(block.id));
        let ports = block_ports(simulation, registry, model, block);
        match (ports.outputs.first(), &block.kind) {
            (_, BlockKind::Exit { .. }) if path.is_empty() => {
                found.push(SignalKey::new(path, block.id, BlockPorts::INPUT));
            }
            (Some(output), _) => found.push(SignalKey::new(path, block.id, output)),
            (None, _) => found.extend(inputs_of(simulation, registry, path, model, block.id)),
        }
        found.len() < MAX_SIGNALS
    });
    found
}

/// A callback for a block at the end of a path; false ends the search.
pub type Visit<'a> = &'a mut dyn FnMut(&[BlockId], &Model, &Arc<Block>) -> bool;

/// Visits all instances of the wanted blocks, from the root down, in the order of the file.
pub fn each_block_with(simulation: &Simulation, is_wanted: &dyn Fn(&Block) -> bool, visit: Visit) {
    // Only models that contain such blocks, directly or not, are entered.
    let has_own = |model: &&Arc<Model>| model.blocks.values().any(|block| is_wanted(block));
    let mut ways: HashSet<&str> = simulation.models.values().filter(has_own).map(|model| &*model.name).collect();
    let mut ahead: Vec<&str> = ways.iter().copied().collect();
    while let Some(name) = ahead.pop() {
        for (outer, _) in simulation.instances_of(name) {
            if ways.insert(&outer.name) {
                ahead.push(&outer.name);
            }
        }
    }
    if let Some(root) = simulation.root_model() {
        enter(simulation, root, &ways, is_wanted, &mut Vec::new(), visit);
    }
}

fn enter(
    simulation: &Simulation,
    model: &Model,
    ways: &HashSet<&str>,
    is_wanted: &dyn Fn(&Block) -> bool,
    path: &mut Vec<BlockId>,
    visit: Visit,
) -> bool {
    if !ways.contains(&*model.name) || path.len() > 32 {
        return true;
    }
    let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    for block in blocks {
        if is_wanted(block) && !visit(path, model, block) {
            return false;
        }
        if let BlockKind::Model { model } = &block.kind
            && let Some(inner) = simulation.model(model)
        {
            path.push(block.id);
            let goes_on = enter(simulation, inner, ways, is_wanted, path, visit);
            path.pop();
            if !goes_on {
                return false;
            }
        }
    }
    true
}
