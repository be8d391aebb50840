//! Replaces a long wire by Goto and From blocks, and these by a wire.

use std::collections::BTreeSet;

use eframe::egui::emath::{Pos2, Rect, Vec2, vec2};

use crate::app::canvas::geometry::{GRID, position_of, snap};
use crate::app::canvas::{Canvas, DocumentView, Selection};
use crate::model::{Change, Connection, Position, TagError, has_wire_tag, tags_for_wires, wires_for_tags};

/// Distance between a port and its tag block, and the approximate size of that block.
const GAP: f32 = 30.0;
const SIZE: Vec2 = Vec2::new(60.0, 40.0);

impl Canvas {
    /// Replaces the selected wires by Goto and From blocks.
    pub(in crate::app::canvas) fn name_wires(&mut self, view: &DocumentView) -> Option<Change> {
        let model = self.open_model(view.simulation)?.clone();
        let positions = |wire: &Connection| self.tag_positions(wire);
        let (edits, added) = tags_for_wires(view.simulation, view.registry, &model, &self.selection.wires, &positions)?;
        let label = match self.selection.wires.len() {
            1 => "Replace wire with Goto/From".to_owned(),
            count => format!("Replace {count} wires with Goto/From"),
        };
        let all = self.pins(&model, &BTreeSet::new()).into_iter().chain(edits).collect();
        self.selection = Selection { blocks: added, ..Selection::default() };
        Some(Change::new(label, all))
    }

    /// Replaces the selected Goto and From blocks by wires.
    ///
    /// # Errors
    /// Returns the reason if they cannot be replaced.
    pub(in crate::app::canvas) fn wire_names(&mut self, view: &DocumentView) -> Result<Option<Change>, TagError> {
        let Some(model) = self.open_model(view.simulation).cloned() else { return Ok(None) };
        let edits = wires_for_tags(view.simulation, view.registry, &model, &self.selection.blocks)?;
        let all = self.pins(&model, &BTreeSet::new()).into_iter().chain(edits).collect();
        self.selection = Selection::default();
        Ok(Some(Change::new("Replace Goto/From with wires", all)))
    }

    /// Returns whether a Goto or From block is selected.
    pub(in crate::app::canvas) fn has_selected_tag(&self, view: &DocumentView) -> bool {
        let Some(model) = self.open_model(view.simulation) else { return false };
        let few = self.selection.blocks.len() < 100;
        let mut blocks = self.selection.blocks.iter().filter_map(|id| model.block(*id)).filter(|_| few);
        blocks.any(|block| has_wire_tag(view.simulation, view.registry, model, block))
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
