//! Block sizes: set by hand, made equal, and reset.

use std::collections::BTreeSet;

use eframe::egui::emath::Vec2;

use super::arrange::attribute_edit;
use crate::app::action::diagram::Size;
use crate::app::canvas::Canvas;
use crate::app::canvas::scene::{BlockView, VIEW_HEIGHT, VIEW_WIDTH};
use crate::model::{BlockId, Change, Edit, Model, Simulation};

impl Canvas {
    /// Resizes a block.
    pub(in crate::app::canvas) fn resize(&self, model: &Model, id: BlockId, size: Vec2) -> Option<Change> {
        let title = model.block(id)?.title().to_owned();
        let mut edits = self.pins(model, &BTreeSet::new());
        for (name, length) in [(VIEW_WIDTH, size.x), (VIEW_HEIGHT, size.y)] {
            edits.push(attribute_edit(model, id, name, Some(length.to_string())));
        }
        Some(Change::new(format!("Resize {title}"), edits))
    }

    /// Makes the selected blocks as wide or high as the largest of them; None if they are, or cannot be resized.
    pub fn same_size(&self, simulation: &Simulation, size: Size) -> Option<Change> {
        let model = self.open_model(simulation)?;
        let views: Vec<&BlockView> = self.selection.blocks.iter().filter_map(|id| self.scene.block(*id)).collect();
        let all = views.iter().filter(|view| view.is_resizable());
        let largest = all.clone().map(|view| view.outline.rect.size()).reduce(Vec2::max)?;
        let mut edits = self.pins(model, &BTreeSet::new());
        let before = edits.len();
        let mut count = 0;
        for view in all {
            let now = view.outline.rect.size();
            let lengths = [
                (VIEW_WIDTH, now.x, largest.x, size != Size::Height),
                (VIEW_HEIGHT, now.y, largest.y, size != Size::Width),
            ];
            let others = lengths.into_iter().filter(|(_, now, wanted, is_meant)| *is_meant && now != wanted);
            let wanted: Vec<Edit> = others
                .map(|(name, _, wanted, _)| attribute_edit(model, view.block.id, name, Some(wanted.to_string())))
                .collect();
            count += usize::from(!wanted.is_empty());
            edits.extend(wanted);
        }
        let what = match size {
            Size::Width => "width",
            Size::Height => "height",
            Size::Both => "size",
        };
        (edits.len() > before).then(|| Change::new(format!("Set the {what} of {count} blocks"), edits))
    }

    /// Resets the selected blocks to their natural size.
    pub fn own_size(&self, simulation: &Simulation) -> Option<Change> {
        let model = self.open_model(simulation)?;
        let mut edits = self.pins(model, &BTreeSet::new());
        let before = edits.len();
        for block in self.selection.blocks.iter().filter_map(|id| model.block(*id)) {
            let sized = [VIEW_WIDTH, VIEW_HEIGHT].into_iter().filter(|name| block.view(name).is_some());
            edits.extend(sized.map(|name| attribute_edit(model, block.id, name, None)));
        }
        (edits.len() > before).then(|| Change::new("Reset the size of the selected blocks", edits))
    }
}
