//! Replaces a long wire by Goto and From blocks, and these by a wire.

use eframe::egui::emath::{Pos2, Rect, Vec2, vec2};

use super::{Edited, OpenModel};
use crate::app::canvas::geometry::{GRID, position_of, snap};
use crate::app::canvas::{DocumentView, Selection};
use crate::model::{Change, Connection, Position, TagError, has_wire_tag, tags_for_wires, wires_for_tags};

/// Distance between a port and its tag block, and the approximate size of that block.
const GAP: f32 = 30.0;
const SIZE: Vec2 = Vec2::new(60.0, 40.0);

impl OpenModel<'_> {
    /// Replaces the selected wires by Goto and From blocks.
    pub fn name_wires(&self) -> Option<Edited> {
        let DocumentView { simulation, registry } = self.document;
        let positions = |wire: &Connection| self.tag_positions(wire);
        let (edits, added) = tags_for_wires(simulation, registry, self.model, &self.selection.wires, &positions)?;
        let label = match self.selection.wires.len() {
            1 => "Replace wire with Goto/From".to_owned(),
            count => format!("Replace {count} wires with Goto/From"),
        };
        let all = self.pins().into_iter().chain(edits).collect();
        Some(Edited::selecting(Change::new(label, all), Selection::of_blocks(added)))
    }

    /// Replaces the selected Goto and From blocks by wires.
    ///
    /// # Errors
    /// Returns the reason if they cannot be replaced.
    pub fn wire_names(&self) -> Result<Edited, TagError> {
        let DocumentView { simulation, registry } = self.document;
        let edits = wires_for_tags(simulation, registry, self.model, &self.selection.blocks)?;
        let all = self.pins().into_iter().chain(edits).collect();
        Ok(Edited::selecting(Change::new("Replace Goto/From with wires", all), Selection::default()))
    }

    /// Returns whether a Goto or From block is selected.
    pub fn has_selected_tag(&self) -> bool {
        let DocumentView { simulation, registry } = self.document;
        let few = self.selection.blocks.len() < 100;
        let mut blocks = self.selection.blocks.iter().filter_map(|id| self.model.block(*id)).filter(|_| few);
        blocks.any(|block| has_wire_tag(simulation, registry, self.model, block))
    }

    /// Returns the positions of the tag blocks: after the output, and before the input, below existing blocks.
    fn tag_positions(&self, wire: &Connection) -> (Position, Position) {
        let (from, to) = (self.scene.block(wire.from), self.scene.block(wire.to));
        let output = from.map(|view| (view.output_at(&wire.output), view.outline.facing.heading().vector()));
        let input = to.and_then(|view| {
            let at = view.input_at(&wire.input)?;
            Some((Some(at), -view.outline.input_heading(at).vector()))
        });
        let position = |end: Option<(Option<Pos2>, Vec2)>| {
            let Some((Some(at), ahead)) = end else { return Position::default() };
            let middle = at + ahead * (Vec2::splat(GAP) + SIZE / 2.0);
            let corner = snap(middle - SIZE / 2.0);
            let steps = (0..12).map(|step| corner + vec2(0.0, 2.0 * GRID * step as f32));
            let is_free = |corner: &Pos2| self.scene.count_in(Rect::from_min_size(*corner, SIZE).shrink(2.0), 1) == 0;
            position_of(steps.into_iter().find(is_free).unwrap_or(corner))
        };
        (position(output), position(input))
    }
}
