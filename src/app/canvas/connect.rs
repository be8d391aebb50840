//! Wires between whole blocks: the next free output to the next free input.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::gesture::refusal;
use super::scene::BlockView;
use super::{Canvas, CanvasView, Selection};
use crate::model::{BlockId, Change, Connection, Edit, Model, without_loops};

impl Canvas {
    /// Joins the selected blocks from left to right: the first output of each to the first free input of the next.
    pub fn connect_selection(&mut self, view: &CanvasView) -> Option<Change> {
        let model = Arc::clone(self.open_model(view.simulation)?);
        let mut blocks: Vec<&BlockView> = self.selection.blocks.iter().filter_map(|id| self.scene.block(*id)).collect();
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
        // Where a block stands before one that it needs, the two stay as they are.
        let wires = without_loops(view.simulation, view.registry, &model.name, wires);
        if wires.is_empty() {
            return None;
        }
        let mut edits = self.pins(&model, &BTreeSet::new());
        edits.extend(wires.into_iter().map(|connection| wire(&model, connection)));
        Some(Change::new(format!("Connect {} blocks", blocks.len()), edits))
    }

    /// Joins each selected block, from above to below, to a block that was pointed at: its next output without a wire,
    /// or its first, to the next input without one. The block is selected then, so that one can go on from it.
    ///
    /// # Errors
    /// Says why there is nothing to be joined.
    pub(super) fn connect_to(&mut self, view: &CanvasView, model: &Model, target: BlockId) -> Result<Change, String> {
        let mut sources: Vec<&BlockView> =
            self.selection.blocks.iter().filter(|id| **id != target).filter_map(|id| self.scene.block(*id)).collect();
        let order = |view: &BlockView| (view.outline.rect.top() as i64, view.outline.rect.left() as i64);
        sources.sort_by_key(|view| order(view));
        let Some(to) = self.scene.block(target) else { return Err("There is no block".to_owned()) };
        let title = to.block.title();
        let is_free = |input: &&Arc<str>| model.source(target, input).is_none();
        let mut inputs = to.ports.inputs.iter().filter(is_free);
        let mut wires = Vec::new();
        for from in sources.iter().filter(|from| !from.ports.outputs.is_empty()) {
            let Some(input) = inputs.next() else { break };
            let is_unused = |output: &&Arc<str>| self.scene.net(from.block.id, output).next().is_none();
            let outputs = &from.ports.outputs;
            let Some(output) = outputs.iter().find(is_unused).or(outputs.first()) else { continue };
            let mut connection = Connection::new(from.block.id, output, target, input);
            connection.carry_signal_of(self.scene.net(from.block.id, output).next().map(|wire| &*wire.connection));
            wires.push(connection);
        }
        let first = wires.first().cloned();
        let wires = without_loops(view.simulation, view.registry, &model.name, wires);
        if let Some(first) = first.filter(|_| wires.is_empty())
            && let Some(refusal) = refusal(view.simulation, view.registry, model, &first)
        {
            return Err(refusal.text);
        }
        let title_of = |connection: &Connection| model.block(connection.from).map_or("block", |block| block.title());
        let joined: Vec<&str> = wires.iter().map(title_of).collect();
        let label = match joined.as_slice() {
            [] if sources.iter().all(|from| from.ports.outputs.is_empty()) => {
                return Err("What is selected has no output".to_owned());
            }
            [] => return Err(format!("{title} has no input without a wire")),
            [one] => format!("Connect {one} to {title}"),
            several => format!("Connect {} blocks to {title}", several.len()),
        };
        let mut edits = self.pins(model, &BTreeSet::new());
        edits.extend(wires.into_iter().map(|connection| wire(model, connection)));
        self.selection = Selection { blocks: BTreeSet::from([target]), ..Selection::default() };
        Ok(Change::new(label, edits))
    }
}

/// The edit that makes a wire.
pub fn wire(model: &Model, connection: Connection) -> Edit {
    Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(connection) }
}
