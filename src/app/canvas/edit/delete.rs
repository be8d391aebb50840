//! Removes blocks and reconnects the wires that passed through them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::changes::{connect, disconnect};
use super::{Edited, OpenModel};
use crate::app::canvas::Selection;
use crate::app::canvas::scene::{Scene, VIEW_BENDS};
use crate::model::{BlockId, Change, Connection, Edit, EditError, InputKey, Model};

/// Number of blocks above which wires are not reconnected.
const MANY: usize = 100;

impl OpenModel<'_> {
    /// Removes the selection. A wire that passed through a removed block with one input and one output is reconnected,
    /// unless that would close an algebraic loop or the wire is selected too.
    pub fn delete_selection(&self) -> Option<Edited> {
        self.remove_selection("Delete")
    }

    /// Removes the selection, as [`OpenModel::delete_selection`]; the change is labelled as a cut.
    pub fn cut_selection(&self) -> Option<Edited> {
        self.remove_selection("Cut")
    }

    fn remove_selection(&self, verb: &str) -> Option<Edited> {
        let model = self.model;
        let blocks = self.selected_blocks();
        let wires: Vec<_> = self.selection.wires.iter().filter_map(|key| model.connections.get(key)).collect();
        let is_going = |id: &BlockId| self.selection.blocks.contains(id);
        let label = match (blocks.as_slice(), wires.len()) {
            ([], 0) => return None,
            ([], 1) => format!("{verb} wire"),
            ([], count) => format!("{verb} {count} wires"),
            ([one], _) => format!("{verb} {}", one.title()),
            (several, _) => format!("{verb} {} blocks", several.len()),
        };
        let mut edits = self.pins_except(&self.selection.blocks);
        // The wires of a block are removed with it.
        let loose = wires.iter().filter(|wire| !is_going(&wire.from) && !is_going(&wire.to));
        edits.extend(loose.map(|wire| disconnect(model, &wire.key())));
        let ids: Vec<BlockId> = blocks.iter().map(|block| block.id).collect();
        if !ids.is_empty() {
            edits.push(Edit::RemoveBlocks { model: Arc::clone(&model.name), ids });
        }
        let mut change = Change::new(label, edits);
        if blocks.len() <= MANY {
            let closed = closed_wires(self.scene, model, self.selection);
            let mut healed = change.clone();
            healed.edits.extend(closed.into_iter().map(|wire| connect(model, wire)));
            if !matches!(self.applied(&healed), Err(EditError::AlgebraicLoop(_))) {
                change = healed;
            }
        }
        Some(Edited::selecting(change, Selection::default()))
    }
}

/// Returns the connections that bridge the removed blocks.
fn closed_wires(scene: &Scene, model: &Model, gone: &Selection) -> Vec<Connection> {
    let behind = gone.blocks.iter().flat_map(|id| scene.wires_at(*id));
    let mut ends: Vec<_> = behind
        .map(|wire| &wire.connection)
        .filter(|wire| gone.blocks.contains(&wire.from) && !gone.blocks.contains(&wire.to))
        .filter(|wire| !gone.wires.contains(&wire.key()))
        .collect();
    ends.sort_by_key(|wire| wire.seq);
    ends.into_iter().filter_map(|end| closed(scene, model, gone, end)).collect()
}

fn closed(scene: &Scene, model: &Model, gone: &Selection, end: &Connection) -> Option<Connection> {
    let mut seen = BTreeSet::new();
    let mut block = end.from;
    loop {
        let view = scene.block(block).filter(|view| view.is_link() && seen.insert(block))?;
        let input = InputKey { block, input: Arc::clone(view.ports.inputs.first()?) };
        let source = model.connections.get(&input).filter(|_| !gone.wires.contains(&input))?;
        if gone.blocks.contains(&source.from) {
            block = source.from;
            continue;
        }
        // The signal is now that of the source, including its name.
        let mut wire = Connection::clone(end);
        wire.attributes.put(VIEW_BENDS, None);
        wire.carry_signal_of(Some(source));
        (wire.from, wire.output) = (source.from, Arc::clone(&source.output));
        return Some(wire);
    }
}
