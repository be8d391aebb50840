//! The look of blocks: rotation, side of the inputs, colour, position of the title; and whether runs leave them out.

use std::sync::Arc;

use super::OpenModel;
use super::changes::attribute_edit;
use crate::app::canvas::scene::{VIEW_COLOR, VIEW_ROTATE, VIEW_TITLE};
use crate::model::{Block, BlockKind, Change, Commented, Edit, VIEW_FLIP};

impl OpenModel<'_> {
    /// Rotates the selected blocks clockwise by 90 degrees.
    pub fn rotate(&self) -> Option<Change> {
        let turned = |block: &Block| match block.view(VIEW_ROTATE) {
            Some("90" | "-270") => Some("180"),
            Some("180" | "-180") => Some("270"),
            Some("270" | "-90") => None,
            _ => Some("90"),
        };
        self.set_views("Rotate", VIEW_ROTATE, |block| turned(block).map(str::to_owned))
    }

    /// Mirrors the selected blocks, so that their inputs are on the other side.
    pub fn flip(&self) -> Option<Change> {
        let value = |block: &Block| if block.view(VIEW_FLIP).is_some() { None } else { Some("1".to_owned()) };
        self.set_views("Flip", VIEW_FLIP, value)
    }

    /// Sets the colour of the selected blocks, or resets it to that of their group.
    pub fn colour(&self, colour: Option<&str>) -> Option<Change> {
        self.set_views("Set colour of", VIEW_COLOR, |_| colour.map(str::to_owned))
    }

    /// Sets the title position of the selected blocks.
    pub fn set_title_side(&self, side: Option<&str>) -> Option<Change> {
        self.set_views("Move title of", VIEW_TITLE, |_| side.map(str::to_owned))
    }

    /// Sets an attribute of each selected block.
    pub fn set_views(&self, what: &str, name: &str, value: impl Fn(&Block) -> Option<String>) -> Option<Change> {
        let blocks = self.selected_blocks();
        let label = match blocks.as_slice() {
            [] => return None,
            [one] => format!("{what} {}", one.title()),
            several => format!("{what} {} blocks", several.len()),
        };
        let mut edits = self.pins();
        let before = edits.len();
        edits.extend(blocks.iter().filter_map(|block| {
            let value = value(block);
            (block.view(name).map(str::to_owned) != value).then(|| attribute_edit(self.model, block.id, name, value))
        }));
        (edits.len() > before).then(|| Change::new(label, edits))
    }

    /// Leaves the selected blocks out of runs, or includes them again if all are left out in this way.
    pub fn comment(&self, wanted: Commented) -> Option<Change> {
        let model = self.model;
        let selected = self.selection.blocks.iter().filter_map(|id| Some((model.block(*id)?, self.scene.block(*id)?)));
        let is_possible = |kind: &BlockKind| matches!(kind, BlockKind::Library { .. } | BlockKind::Model { .. });
        let selected = selected.filter(|(block, view)| is_possible(&block.kind) && !view.is_remark());
        let blocks: Vec<_> = selected.map(|(block, _)| block).collect();
        let is_back = blocks.iter().all(|block| Commented::of(block) == Some(wanted));
        let value = (!is_back).then(|| wanted.name());
        let set = |id| Edit::SetBlockAttribute {
            model: Arc::clone(&model.name),
            id,
            name: Commented::ATTRIBUTE.into(),
            value: value.map(Into::into),
        };
        let edits: Vec<Edit> = blocks.iter().map(|block| set(block.id)).collect();
        let what = match (&blocks[..], is_back) {
            ([], _) => return None,
            ([one], false) => format!("Comment {} {}", wanted.name(), one.title()),
            ([one], true) => format!("Uncomment {}", one.title()),
            (several, false) => format!("Comment {} {} blocks", wanted.name(), several.len()),
            (several, true) => format!("Uncomment {} blocks", several.len()),
        };
        Some(Change::new(what, edits))
    }
}
