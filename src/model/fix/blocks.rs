//! Fixes of blocks: what replaces or removes them.

use std::sync::Arc;

use super::{Site, most_similar, similarity};
use crate::block::BlockDef;
use crate::model::{Block, BlockKind, Change, Edit, replace_block};

impl Site<'_> {
    pub(super) fn remove_block(&self) -> Option<Change> {
        let (model, block) = (self.model?, self.block?);
        let edit = Edit::RemoveBlocks { model: Arc::clone(&model.name), ids: vec![block.id] };
        Some(Change::one(format!("Remove {} {}", block.title(), block.id), edit))
    }

    /// Selects another kind of block, with a similar name.
    pub(super) fn replace(&self) -> Vec<Change> {
        let (Some(model), Some(block)) = (self.model, self.block) else { return Vec::new() };
        let replaced = |kind: BlockKind, name: String| {
            let label = format!("Replace {} {} by {name}", block.title(), block.id);
            // The ports of a placeholder have other names: its wires move.
            if block.is_placeholder() {
                return Change::new(label, replace_block(self.simulation, self.registry, model, block.id, kind));
            }
            let mut new = Block::clone(block);
            new.kind = kind;
            Change::one(label, Edit::ReplaceBlock { model: Arc::clone(&model.name), block: Box::new(new) })
        };
        match &block.kind {
            BlockKind::Library { name, .. } => {
                let defs = self.registry.iter().map(|def| (similarity(name, def.name), def));
                let similar = most_similar(defs);
                let kind = |def: &BlockDef| BlockKind::library(def.group, def.name);
                similar.into_iter().map(|def| replaced(kind(def), format!("{}/{}", def.group, def.name))).collect()
            }
            BlockKind::Model { model: wanted } => {
                // A model in itself, directly or further in, is refused when the change is applied.
                let names = self.simulation.models.keys().filter(|name| **name != model.name);
                let similar = most_similar(names.map(|name| (similarity(wanted, name), name)));
                similar.into_iter().map(|name| replaced(BlockKind::model(name), (**name).to_owned())).collect()
            }
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => Vec::new(),
        }
    }

    pub(super) fn create_model(&self) -> Option<Change> {
        match &self.block?.kind {
            BlockKind::Model { model } if self.simulation.model(model).is_none() => {
                Some(Change::one(format!("Create model {model}"), Edit::AddModel { name: Arc::clone(model) }))
            }
            _ => None,
        }
    }

    pub(super) fn remove_role(&self) -> Option<Change> {
        let (model, block) = (self.model?, self.block?);
        block.attributes.get("role")?;
        let (model, id) = (Arc::clone(&model.name), block.id);
        let edit = Edit::SetBlockAttribute { model, id, name: "role".into(), value: None };
        Some(Change::one(format!("Remove role of {} {id}", block.title()), edit))
    }
}
