//! Connects whole blocks: the next free output to the next free input.

use std::sync::Arc;

use eframe::egui::emath::Pos2;

use super::changes::{connect, connect_change, disconnect};
use super::{Edited, OpenModel};
use crate::app::canvas::gesture::{Wire, refusal};
use crate::app::canvas::route::{corridor, route};
use crate::app::canvas::scene::{BlockView, source_end, target_end};
use crate::app::canvas::{DocumentView, Selection};
use crate::model::{BlockId, Change, Connection, InputKey, without_loops};

/// Why blocks are not connected to another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("The block does not exist")]
    NoBlock,
    #[error("The selected blocks have no output")]
    NoOutput,
    /// The title of the block.
    #[error("{0} has no free input")]
    NoInput(String),
    #[error("The wire would close an algebraic loop")]
    Loop,
    #[error("{0}")]
    Refused(String),
}

/// Maximum number of selected blocks whose wires are previewed.
const MANY: usize = 100;

impl OpenModel<'_> {
    /// Connects the selected blocks from left to right: the first output of each to the first free input of the next.
    pub fn connect_selection(&self) -> Option<Change> {
        let model = self.model;
        let mut blocks = self.selected_views();
        let order = |view: &BlockView| (view.outline.rect.left() as i64, view.outline.rect.top() as i64);
        blocks.sort_by_key(|view| order(view));
        let mut wires = Vec::new();
        for pair in blocks.windows(2) {
            let [from, to] = pair else { continue };
            let is_free = |input: &&Arc<str>| model.source(to.block.id, input).is_none();
            let (Some(output), Some(input)) = (from.ports.outputs.first(), to.ports.inputs.iter().find(is_free)) else {
                continue;
            };
            wires.push(Connection::new(from.block.id, output, to.block.id, input));
        }
        // A pair stays unconnected if the wire would close an algebraic loop.
        let wires = without_loops(self.document.simulation, self.document.registry, &model.name, wires);
        if wires.is_empty() {
            return None;
        }
        let mut edits = self.pins();
        edits.extend(wires.into_iter().map(|wire| connect(model, wire)));
        Some(Change::new(format!("Connect {} blocks", blocks.len()), edits))
    }

    /// Connects each selected block, from top to bottom, to a target block: its next unconnected output, or its first,
    /// to the next free input. Then selects the target, so that the user can continue from it.
    ///
    /// # Errors
    /// Returns the reason if there is nothing to connect.
    pub fn connect_to(&self, target: BlockId) -> Result<Edited, ConnectError> {
        let (model, DocumentView { simulation, registry }) = (self.model, self.document);
        let wanted = self.joins_to(target)?;
        let first = wanted.first().cloned();
        let connections = without_loops(simulation, registry, &model.name, wanted);
        if let Some(first) = first.filter(|_| connections.is_empty()) {
            let refusal = refusal(simulation, registry, model, &first);
            return Err(refusal.map_or(ConnectError::Loop, |refusal| ConnectError::Refused(refusal.text)));
        }
        let title = |id: BlockId| model.block(id).map_or("block", |block| block.title());
        let label = match connections.as_slice() {
            [one] => format!("Connect {} to {}", title(one.from), title(target)),
            several => format!("Connect {} blocks to {}", several.len(), title(target)),
        };
        let mut edits = self.pins();
        edits.extend(connections.into_iter().map(|wire| connect(model, wire)));
        Ok(Edited::selecting(self.with_sides(Change::new(label, edits)), Selection::of_block(target)))
    }

    /// Connects a wire that was drawn, or whose end was picked up. None if it is where it was.
    pub fn connect_wire(&self, wire: Wire, connection: Connection) -> Option<Edited> {
        let known = self.model.source(connection.to, &connection.input);
        if known.is_some_and(|known| known.from == connection.from && known.output == connection.output) {
            return None;
        }
        let mut edits = self.pins();
        // An end that was picked up at its input leaves it.
        edits.extend(wire.loose.and_then(|number| self.loose_edit(wire.fixed.block(), Some(number), None)));
        let left = wire.detached.filter(|key| *key != connection.key());
        edits.extend(left.map(|key| disconnect(self.model, &key)));
        let selection = Selection::of_wire(connection.key());
        Some(Edited::selecting(self.with_sides(connect_change(self.model, connection, edits)), selection))
    }

    /// Returns the wires from the selection to a target block.
    fn joins_to(&self, target: BlockId) -> Result<Vec<Connection>, ConnectError> {
        let mut sources: Vec<&BlockView> =
            self.selection.blocks.iter().filter(|id| **id != target).filter_map(|id| self.scene.block(*id)).collect();
        sources.retain(|from| !from.ports.outputs.is_empty());
        let order = |view: &BlockView| (view.outline.rect.top() as i64, view.outline.rect.left() as i64);
        sources.sort_by_key(|view| order(view));
        let Some(to) = self.scene.block(target) else { return Err(ConnectError::NoBlock) };
        if sources.is_empty() {
            return Err(ConnectError::NoOutput);
        }
        let is_free =
            |input: &&Arc<str>| self.scene.wire(&InputKey { block: target, input: Arc::clone(input) }).is_none();
        let inputs = to.ports.inputs.iter().filter(is_free);
        let join = |(from, input): (&&BlockView, &Arc<str>)| {
            let is_unused = |output: &&Arc<str>| self.scene.net(from.block.id, output).next().is_none();
            let outputs = &from.ports.outputs;
            let output = outputs.iter().find(is_unused).or(outputs.first())?;
            let mut connection = Connection::new(from.block.id, output, target, input);
            connection.carry_signal_of(self.scene.net(from.block.id, output).next().map(|wire| &*wire.connection));
            Some(connection)
        };
        let found: Vec<Connection> = sources.iter().zip(inputs).filter_map(join).collect();
        match found.is_empty() {
            true => Err(ConnectError::NoInput(to.block.title().to_owned())),
            false => Ok(found),
        }
    }

    /// Returns whether Alt+click on a block would connect the selection to it.
    pub fn is_to_be_joined(&self, target: BlockId) -> bool {
        (1..=MANY).contains(&self.selection.blocks.len()) && self.joins_to(target).is_ok()
    }

    /// Returns the routes of the wires that Alt+click on a block would make.
    pub fn joins_to_be(&self, target: BlockId) -> Vec<Vec<Pos2>> {
        if !self.is_to_be_joined(target) {
            return Vec::new();
        }
        let way = |connection: Connection| {
            let (from, to) = (self.scene.block(connection.from)?, self.scene.block(connection.to)?);
            let from = source_end(from, from.output_at(&connection.output)?);
            let to = target_end(to, to.input_at(&connection.input)?);
            Some(route(&from, &to, None, &self.scene.obstacles(corridor(&from, &to))))
        };
        self.joins_to(target).unwrap_or_default().into_iter().filter_map(way).collect()
    }
}
