//! Wires that would close an algebraic loop: they stay open, and there are ways to break the loop.

use std::sync::Arc;

use eframe::egui::vec2;

use super::OpenModel;
use super::changes::{connect, connect_change, disconnect};
use crate::app::canvas::DocumentView;
use crate::app::canvas::geometry::{position_of, snap};
use crate::app::canvas::gesture::Wire;
use crate::app::canvas::gesture::hit::PortDirection;
use crate::app::canvas::scene::{BlockView, LooseWire, target_end};
use crate::block::library;
use crate::model::check::loop_text;
use crate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, delayed, loop_closed_anywhere};

/// Distance between the port and the end of such a wire.
const GAP: f32 = 22.0;

impl OpenModel<'_> {
    /// Leaves a wire open in front of the input where it would close a loop.
    pub fn leave_loop_open(&self, wire: &Wire, connection: &Connection) -> Option<Change> {
        // A loose wire whose end was picked up is replaced by the new one.
        let taken = wire.loose.filter(|_| wire.fixed.block() == connection.from);
        let mut edits = self.pins();
        edits.extend(wire.detached.iter().map(|key| disconnect(self.model, key)));
        if wire.loose.is_some() && taken.is_none() {
            edits.extend(self.loose_edit(wire.fixed.block(), wire.loose, None));
        }
        edits.push(self.loop_edit(connection, taken)?);
        Some(Change::new("Leave wire open", edits))
    }

    /// The same if the document refused a connection because of a loop outside of the open model.
    pub fn leave_refused_open(&self, connection: &Connection) -> Option<Change> {
        Some(Change::one("Leave wire open", self.loop_edit(connection, None)?))
    }

    fn loop_edit(&self, connection: &Connection, taken: Option<usize>) -> Option<Edit> {
        let (from, to) = (self.scene.block(connection.from)?, self.scene.block(connection.to)?);
        let port = target_end(to, to.input_at(&connection.input)?);
        let end = snap(port.at - port.heading.vector() * GAP) - from.outline.rect.min;
        let target = Some((connection.to, Arc::clone(&connection.input)));
        // One wire to an input is enough.
        let known = from.loose.iter().position(|wire| wire.target == target && wire.port == connection.output);
        let loose = LooseWire { side: PortDirection::Output, port: Arc::clone(&connection.output), end, target };
        self.loose_edit(connection.from, taken.or(known), Some(loose))
    }

    /// Returns the target of a loose wire that was left open because of a loop.
    pub fn loop_of(&self, id: BlockId, number: usize) -> Option<Connection> {
        let wire = self.scene.block(id)?.loose.get(number)?;
        let (to, input) = wire.target.as_ref()?;
        self.scene.block(*to)?.input_at(input)?;
        Some(Connection::new(id, &wire.port, *to, input))
    }

    /// Returns the named fixes for the loop that a loose wire would close; only `Connect` if there is no loop any more.
    pub fn loop_remedies(&self, id: BlockId, number: usize) -> Vec<Change> {
        let DocumentView { simulation, registry } = self.document;
        let Some(connection) = self.loop_of(id, number) else { return Vec::new() };
        let gone = || self.loose_edit(id, Some(number), None);
        let mut pins = self.pins();
        pins.extend(gone());
        if loop_closed_anywhere(simulation, registry, &self.model.name, &connection).is_none() {
            return vec![connect_change(self.model, connection, pins)];
        }
        let delayed = self.delayed(&connection).map(|edits| {
            let edits = pins.iter().cloned().chain(edits).collect();
            Change::new("Insert a unit delay", edits)
        });
        let solve = Edit::SetSimulationAttribute { name: "loops".into(), value: Some("solve".into()) };
        let edits = pins.into_iter().chain([solve, connect(self.model, connection)]).collect();
        let solved = Change::new("Solve the loop", edits);
        delayed.into_iter().chain([solved]).collect()
    }

    /// Inserts a unit delay in front of the input, and the wires through it.
    fn delayed(&self, connection: &Connection) -> Option<Vec<Edit>> {
        let (def, ..) = library::unit_delay();
        let (from, to) = (self.scene.block(connection.from)?, self.scene.block(connection.to)?);
        let port = target_end(to, to.input_at(&connection.input)?);
        let start = from.output_at(&connection.output)?;
        let block = Block::new(self.model.free_id(), BlockKind::library(def.group, def.name));
        let DocumentView { simulation, registry } = self.document;
        let size = BlockView::new(simulation, registry, self.model, &Arc::new(block)).outline.rect.size();
        // In front of the input if there is space between the two, otherwise below both.
        let has_room = (port.at.x - start.x) * port.heading.vector().x > 2.0 * size.x;
        let corner = match has_room {
            true => port.at - port.heading.vector() * (GAP + size.x) - vec2(0.0, size.y / 2.0),
            false => {
                let both = from.outline.rect.union(to.outline.rect);
                vec2(both.center().x - size.x / 2.0, both.bottom() + 2.0 * GAP).to_pos2()
            }
        };
        Some(delayed(self.model, connection, Some(position_of(snap(corner)))))
    }

    /// Describes the loop that a loose wire would close; None if it may be connected.
    pub fn loop_text_of(&self, id: BlockId, number: usize) -> Option<String> {
        let DocumentView { simulation, registry } = self.document;
        let connection = self.loop_of(id, number)?;
        let (name, hops) = loop_closed_anywhere(simulation, registry, &self.model.name, &connection)?;
        let of_model = if name == self.model.name { String::new() } else { format!(" in “{name}”") };
        let text = loop_text(simulation.model(&name)?, &hops);
        Some(format!("This wire would close an algebraic loop{of_model}: {text}"))
    }
}
