//! Loose wires: leaving them open, picking them up, and connecting them to ports nearby.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Vec2};

use super::OpenModel;
use super::changes::{attribute_edit, connect, disconnect};
use super::suggest::Suggestion;
use crate::app::canvas::geometry::snap;
use crate::app::canvas::gesture::hit::PortDirection;
use crate::app::canvas::gesture::{Wire, WireEnd};
use crate::app::canvas::scene::{BlockView, LooseWire, VIEW_LOOSE};
use crate::model::{BlockId, Change, Connection, Edit};

/// Minimum length of a wire; a shorter one was not intended.
const SHORTEST: f32 = 20.0;
/// Distance within which a port connects to a loose end.
const JOIN_REACH: f32 = 45.0;

impl OpenModel<'_> {
    /// Leaves a wire open where its end was dropped.
    pub fn leave_open(&self, wire: &Wire) -> Option<Change> {
        let id = wire.fixed.block();
        let block = self.scene.block(id)?;
        let (side, port) = match &wire.fixed {
            WireEnd::Output(_, port) => (PortDirection::Output, port),
            WireEnd::Input(_, port) => (PortDirection::Input, port),
        };
        let at = if side == PortDirection::Output { block.output_at(port) } else { block.input_at(port) }?;
        if at.distance(wire.pointer) < SHORTEST || block.outline.body.contains(wire.pointer) {
            return None;
        }
        let end = snap(wire.pointer) - block.outline.rect.min;
        let loose = LooseWire { side, port: Arc::clone(port), end, target: None };
        let mut edits = self.pins();
        edits.extend(wire.detached.iter().map(|key| disconnect(self.model, key)));
        edits.extend(self.loose_edit(id, wire.loose, Some(loose)));
        Some(Change::new("Leave wire open", edits))
    }

    pub fn remove_loose(&self, id: BlockId, number: usize) -> Option<Change> {
        Some(Change::one("Remove open wire", self.loose_edit(id, Some(number), None)?))
    }

    /// Removes one loose wire of a block, adds one, or replaces one.
    pub fn loose_edit(&self, id: BlockId, gone: Option<usize>, new: Option<LooseWire>) -> Option<Edit> {
        let mut wires = self.scene.block(id)?.loose.clone();
        match gone.filter(|gone| *gone < wires.len()) {
            Some(gone) => drop(wires.splice(gone..=gone, new)),
            None => wires.extend(new),
        }
        Some(attribute_edit(self.model, id, VIEW_LOOSE, LooseWire::text_of(&wires)))
    }

    /// Returns the loose wire whose end is nearest to a port of the other side, within reach.
    pub fn loose_near(&self, at: Pos2, side: PortDirection, reach: f32, except: BlockId) -> Option<(BlockId, usize)> {
        let near = eframe::egui::emath::Rect::from_center_size(at, Vec2::splat(2.0 * reach));
        let found = self.scene.blocks_in(near).into_iter().filter(|view| view.block.id != except).flat_map(|view| {
            let wires = view.loose.iter().enumerate().filter(move |(_, wire)| wire.side == side);
            wires.map(move |(number, wire)| (wire.end_of(view).distance(at), view.block.id, number))
        });
        let nearest = found.filter(|(far, ..)| *far <= reach).min_by(|(a, ..), (b, ..)| a.total_cmp(b));
        nearest.map(|(_, id, number)| (id, number))
    }

    /// Returns the edits that connect loose wires whose ends lie at the ports of a new block; ports that get another
    /// wire are skipped.
    pub fn join_open_ends(&self, block: &BlockView, but: &[Suggestion]) -> Vec<Edit> {
        let id = block.block.id;
        let mut edits = Vec::new();
        let mut used = BTreeSet::new();
        let mut join = |other: BlockId, number: usize, connection: Connection| {
            // The first edit changes the numbers of the block's other loose wires.
            if used.insert(other) {
                edits.extend(self.loose_edit(other, Some(number), None));
                edits.push(connect(self.model, connection));
            }
        };
        for (name, at) in block.ports.inputs.iter().zip(&block.outline.inputs) {
            let is_taken = but.iter().any(|known| known.connection.to == id && known.connection.input == *name);
            if !is_taken
                && let Some((other, number)) = self.loose_near(*at, PortDirection::Output, JOIN_REACH, id)
                && let Some(wire) = self.scene.block(other).and_then(|view| view.loose.get(number))
            {
                join(other, number, Connection::new(other, &wire.port, id, name));
            }
        }
        for (name, at) in block.ports.outputs.iter().zip(&block.outline.outputs) {
            if let Some((other, number)) = self.loose_near(*at, PortDirection::Input, JOIN_REACH, id)
                && let Some(wire) = self.scene.block(other).and_then(|view| view.loose.get(number))
            {
                join(other, number, Connection::new(id, name, other, &wire.port));
            }
        }
        edits
    }
}
