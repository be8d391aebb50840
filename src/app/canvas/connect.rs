//! Wires between whole blocks: the next free output to the next free input.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::scene::BlockView;
use super::{Canvas, CanvasView, Selection};
use crate::model::{BlockId, Change, Connection, Edit, Model};

impl Canvas {
    /// Joins the selected blocks from left to right: the first output of each to the first free input of the next.
    pub fn connect_selection(&mut self, view: &CanvasView) -> Option<Change> {
        let model = Arc::clone(self.open_model(view.simulation)?);
        let mut blocks: Vec<&BlockView> = self.selection.blocks.iter().filter_map(|id| self.scene.block(*id)).collect();
        let order = |view: &BlockView| (view.outline.rect.left() as i64, view.outline.rect.top() as i64);
        blocks.sort_by_key(|view| order(view));
        let mut edits = self.pins(&model, &BTreeSet::new());
        let before = edits.len();
        for pair in blocks.windows(2) {
            let [from, to] = pair else { continue };
            let is_free = |input: &&Arc<str>| model.source(to.block.id, input).is_none();
            let (Some(output), Some(input)) = (from.ports.outputs.first(), to.ports.inputs.iter().find(is_free)) else {
                continue;
            };
            edits.push(wire(&model, Connection::new(from.block.id, output, to.block.id, input)));
        }
        let label = format!("Connect {} blocks", blocks.len());
        (edits.len() > before).then(|| Change::new(label, edits))
    }

    /// Joins each selected block, from above to below, to a block that was pointed at: its next output without a wire,
    /// or its first, to the next input without one. The block is selected then, so that one can go on from it.
    ///
    /// # Errors
    /// Says why there is nothing to be joined.
    pub(super) fn connect_to(&mut self, model: &Model, target: BlockId) -> Result<Change, String> {
        let mut sources: Vec<&BlockView> =
            self.selection.blocks.iter().filter(|id| **id != target).filter_map(|id| self.scene.block(*id)).collect();
        let order = |view: &BlockView| (view.outline.rect.top() as i64, view.outline.rect.left() as i64);
        sources.sort_by_key(|view| order(view));
        let Some(to) = self.scene.block(target) else { return Err("There is no block".to_owned()) };
        let title = to.block.title();
        let is_free = |input: &&Arc<str>| model.source(target, input).is_none();
        let mut inputs = to.ports.inputs.iter().filter(is_free);
        let mut edits = self.pins(model, &BTreeSet::new());
        let mut joined = Vec::new();
        for from in sources.iter().filter(|from| !from.ports.outputs.is_empty()) {
            let Some(input) = inputs.next() else { break };
            let is_unused = |output: &&Arc<str>| self.scene.net(from.block.id, output).next().is_none();
            let outputs = &from.ports.outputs;
            let Some(output) = outputs.iter().find(is_unused).or(outputs.first()) else { continue };
            let mut connection = Connection::new(from.block.id, output, target, input);
            connection.carry_signal_of(self.scene.net(from.block.id, output).next().map(|wire| &*wire.connection));
            edits.push(wire(model, connection));
            joined.push(from.block.title());
        }
        let label = match joined.as_slice() {
            [] if sources.iter().all(|from| from.ports.outputs.is_empty()) => {
                return Err("What is selected has no output".to_owned());
            }
            [] => return Err(format!("{title} has no input without a wire")),
            [one] => format!("Connect {one} to {title}"),
            several => format!("Connect {} blocks to {title}", several.len()),
        };
        self.selection = Selection { blocks: BTreeSet::from([target]), ..Selection::default() };
        Ok(Change::new(label, edits))
    }
}

/// The edit that makes a wire.
pub fn wire(model: &Model, connection: Connection) -> Edit {
    Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(connection) }
}
