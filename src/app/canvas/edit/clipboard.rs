//! Copies, pastes and duplicates blocks.

use std::sync::Arc;

use eframe::egui::emath::Vec2;

use super::changes::shifted_bends;
use super::{Edited, OpenModel};
use crate::app::canvas::Selection;
use crate::app::canvas::geometry::{GRID, point_of, position_of, snap};
use crate::app::canvas::scene::VIEW_BENDS;
use crate::model::{Change, ChangeKind, Edit, Fragment, Pasted, Position};

impl OpenModel<'_> {
    /// Returns the selected blocks with the wires between them and all that they need.
    pub fn copy(&self) -> Option<Fragment> {
        Some(self.selected()?.with_definitions(self.document.simulation, &self.model.name))
    }

    /// Returns the selected blocks with the wires between them.
    fn selected(&self) -> Option<Fragment> {
        let ids: Vec<_> = self.selection.blocks.iter().copied().collect();
        let mut fragment = Fragment::of(self.model, &ids);
        for block in &mut fragment.blocks {
            // A block without a stored position gets its displayed one, to keep its place among the others.
            if block.position().is_none()
                && let Some(view) = self.scene.block(block.id)
            {
                Arc::make_mut(block).set_position(position_of(view.position));
            }
        }
        (!fragment.is_empty()).then_some(fragment)
    }

    /// Pastes with the upper left corner at `at`, or offset from the original; the offset grows while a block is
    /// already there. Also returns the definitions that are added under another name, as text.
    pub fn paste(&self, fragment: &Fragment, at: Option<Position>) -> Option<(Edited, Vec<String>)> {
        self.paste_as("Paste", fragment, at)
    }

    fn paste_as(&self, verb: &str, fragment: &Fragment, at: Option<Position>) -> Option<(Edited, Vec<String>)> {
        let positions = fragment.blocks.iter().filter_map(|block| block.position()).map(point_of);
        let corner = positions.reduce(|a, b| a.min(b)).unwrap_or_default();
        let first = at.map_or(Vec2::ZERO, |at| snap(point_of(at)) - corner);
        let is_free = |shift: &Vec2| {
            let mut positions = fragment.blocks.iter().filter_map(|block| block.position()).map(point_of);
            positions.all(|position| !self.scene.has_block_at(position + *shift))
        };
        let mut shifts = (0..100).map(|count| first + Vec2::splat(2.0 * GRID * count as f32));
        let shift = shifts.find(is_free).unwrap_or(first + Vec2::splat(2.0 * GRID * 100.0));
        self.put(fragment, shift, label(verb, fragment))
    }

    pub fn duplicate(&self) -> Option<Edited> {
        let fragment = self.selected()?;
        self.paste_as("Duplicate", &fragment, None).map(|(edited, _)| edited)
    }

    /// Adds the blocks of a fragment and selects them. Also returns the definitions that are added under another name,
    /// as text.
    fn put(&self, fragment: &Fragment, shift: Vec2, label: String) -> Option<(Edited, Vec<String>)> {
        if fragment.is_empty() {
            return None;
        }
        let shift_in_model = Position { x: f64::from(shift.x), y: f64::from(shift.y) };
        let Pasted { edits: pasted, ids, renamed } =
            fragment.paste_into(self.document.simulation, self.document.registry, self.model, shift_in_model);
        let mut edits = self.pins();
        edits.extend(pasted);
        for edit in &mut edits {
            if let Edit::Connect { connection, .. } = edit
                && let Some(bends) = shifted_bends(connection, shift)
            {
                connection.attributes.set(VIEW_BENDS, &bends);
            }
        }
        let change = Change::new(label, edits).of_kind(ChangeKind::Paste);
        Some((Edited::selecting(change, Selection::of_blocks(ids)), renamed))
    }

    /// Adds copies of the selected blocks at a distance from them.
    pub fn copy_by(&self, shift: Vec2) -> Option<Edited> {
        let fragment = self.selected()?;
        self.put(&fragment, shift, label("Copy", &fragment)).map(|(edited, _)| edited)
    }
}

fn label(verb: &str, fragment: &Fragment) -> String {
    match fragment.blocks.as_slice() {
        [one] => format!("{verb} {}", one.title()),
        several => format!("{verb} {} blocks", several.len()),
    }
}
