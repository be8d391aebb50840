//! The selected blocks and wires.

use std::collections::BTreeSet;

use eframe::egui::emath::Rect;

use super::scene::Scene;
use crate::model::{BlockId, InputKey};

/// The selected blocks and wires of the open model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub blocks: BTreeSet<BlockId>,
    /// Wires by the input at which they end.
    pub wires: BTreeSet<InputKey>,
}

impl Selection {
    pub fn of_block(id: BlockId) -> Selection {
        Selection::of_blocks([id])
    }

    pub fn of_blocks(ids: impl IntoIterator<Item = BlockId>) -> Selection {
        Selection { blocks: ids.into_iter().collect(), wires: BTreeSet::new() }
    }

    pub fn of_wire(key: InputKey) -> Selection {
        Selection { blocks: BTreeSet::new(), wires: [key].into() }
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.wires.is_empty()
    }

    /// Returns the block if the selection is a single block.
    pub fn single_block(&self) -> Option<BlockId> {
        match (self.blocks.first(), self.blocks.len(), self.wires.is_empty()) {
            (Some(id), 1, true) => Some(*id),
            _ => None,
        }
    }

    /// Returns what a marquee selects: the blocks that it touches, areas and wires only if they lie inside.
    pub fn within(scene: &Scene, rect: Rect) -> Selection {
        let blocks = scene.blocks_in(rect).into_iter().filter(|view| match view.is_area() {
            true => rect.contains_rect(view.outline.body),
            false => view.outline.body.intersects(rect),
        });
        let wires = scene.wires_in(rect).into_iter().filter(|wire| rect.contains_rect(wire.bounds));
        Selection { blocks: blocks.map(|view| view.block.id).collect(), wires: wires.map(|wire| wire.key()).collect() }
    }
}
