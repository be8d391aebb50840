//! Block sizes: set by hand, made equal, and reset.

use eframe::egui::emath::Vec2;

use super::OpenModel;
use super::changes::attribute_edit;
use crate::app::action::diagram_command::Size;
use crate::app::canvas::scene::{VIEW_HEIGHT, VIEW_WIDTH};
use crate::model::{BlockId, Change, Edit};

impl OpenModel<'_> {
    /// Resizes a block.
    pub fn resize(&self, id: BlockId, size: Vec2) -> Option<Change> {
        let title = self.model.block(id)?.title().to_owned();
        let mut edits = self.pins();
        for (name, length) in [(VIEW_WIDTH, size.x), (VIEW_HEIGHT, size.y)] {
            edits.push(attribute_edit(self.model, id, name, Some(length.to_string())));
        }
        Some(Change::new(format!("Resize {title}"), edits))
    }

    /// Makes the selected blocks as wide or high as the largest of them; None if they are, or cannot be resized.
    pub fn same_size(&self, size: Size) -> Option<Change> {
        let views = self.selected_views();
        let all = views.iter().filter(|view| view.is_resizable());
        let largest = all.clone().map(|view| view.outline.rect.size()).reduce(Vec2::max)?;
        let mut edits = self.pins();
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
                .map(|(name, _, wanted, _)| attribute_edit(self.model, view.block.id, name, Some(wanted.to_string())))
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
    pub fn own_size(&self) -> Option<Change> {
        let mut edits = self.pins();
        let before = edits.len();
        for block in self.selected_blocks() {
            let sized = [VIEW_WIDTH, VIEW_HEIGHT].into_iter().filter(|name| block.view(name).is_some());
            edits.extend(sized.map(|name| attribute_edit(self.model, block.id, name, None)));
        }
        (edits.len() > before).then(|| Change::new("Reset the size of the selected blocks", edits))
    }
}
