//! The room of a wire's piece at a port, where a port of another wire on the same line faces it.
//!
//! Neither piece can leave its port otherwise than along this line, so each gets less than half of the room between the
//! two: they never share a segment. The room depends on the ports only, and not on how the other wire is routed.

use eframe::egui::emath::{Pos2, Rect, Vec2};

use super::{BlockView, Scene};
use crate::app::canvas::route::tracks::NEAR;
use crate::model::{BlockId, Connection, InputKey};

/// The distance of both pieces from the middle, at most.
const APART: f32 = 3.0;

impl Scene {
    /// Returns the greatest length of the piece that extends from a port of a block; none if no port of another net faces
    /// it within the rectangle that the wire's route depends on.
    pub(super) fn room_at(
        &self,
        (block, port, out): (BlockId, Pos2, Vec2),
        wire: &Connection,
        corridor: Rect,
    ) -> Option<f32> {
        let along = |point: Pos2| (point - port).dot(out);
        let across = |point: Pos2| ((point - port) - out * along(point)).length();
        let farthest = [corridor.min, corridor.max].into_iter().map(along).fold(0.0, f32::max);
        let line = Rect::from_two_pos(port, port + out * farthest).expand(0.5);
        let ahead = self.block_index.find(line).filter_map(|number| self.blocks.at(number));
        let solid = ahead.filter(|view| view.block.id != block && !view.is_remark());
        let begin = |view: &BlockView| along(view.outline.rect.min).min(along(view.outline.rect.max));
        let hit = solid.filter(|view| view.outline.rect.expand(0.5).intersects(line) && begin(view) > -0.5);
        let nearest = hit.min_by(|a, b| begin(a).total_cmp(&begin(b)).then(a.block.id.cmp(&b.block.id)))?;
        let faces = |at: &Pos2, other: Vec2| other.dot(out) < -0.5 && across(*at) < NEAR && along(*at) > 0.5;
        let inputs = nearest.ports.inputs.iter().zip(&nearest.outline.inputs).filter(|(name, at)| {
            let key = InputKey { block: nearest.block.id, input: (*name).clone() };
            faces(at, -nearest.outline.input_heading(**at).vector()) && !self.is_of_net(&key, wire)
        });
        let outputs = nearest.ports.outputs.iter().zip(&nearest.outline.outputs).filter(|(name, at)| {
            let is_source = nearest.block.id == wire.from && **name == wire.output;
            faces(at, nearest.outline.facing.heading().vector()) && !is_source
        });
        let distance = inputs.chain(outputs).map(|(_, at)| along(*at)).min_by(f32::total_cmp)?;
        Some(distance / 2.0 - APART.min(distance / 4.0))
    }

    /// Whether an input is fed by the output of a wire.
    fn is_of_net(&self, input: &InputKey, wire: &Connection) -> bool {
        let known = self.wires.get(input).map(|known| &known.connection);
        known.is_some_and(|known| known.from == wire.from && known.output == wire.output)
    }
}
