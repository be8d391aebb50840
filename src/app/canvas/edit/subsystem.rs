//! Creates a subsystem from a selection, and expands a model block.

use std::collections::BTreeSet;

use super::{CommandError, Edited, OpenModel};
use crate::app::canvas::{DocumentView, Selection};
use crate::app::doc::{dashboard, plots};
use crate::model::{Change, SignalKey, expand, group};

impl OpenModel<'_> {
    /// Moves the selected blocks into a new model and replaces them by an instance of it.
    pub fn group(&self) -> Option<Edited> {
        let DocumentView { simulation, registry } = self.document;
        let ids = self.scene.with_carried(self.selection.blocks.iter().copied());
        let mut edits = self.pins();
        // The edits below already contain the positions from the layout.
        let pinned = self.applied(&Change::new("", edits.clone())).ok()?;
        let placed = pinned.model(&self.model.name)?;
        let (grouped, block) = group(&pinned, placed, &ids, "Model")?;
        edits.extend(grouped);
        let moved = |signal: &SignalKey| match signal.path == *self.path && ids.contains(&signal.block) {
            true => {
                let path = signal.path.iter().copied().chain([block]).collect();
                SignalKey { path, ..signal.clone() }
            }
            false => signal.clone(),
        };
        edits.extend(plots::edit_moved(simulation, registry, self.path, moved));
        edits.extend(dashboard::edit_moved(simulation, registry, self.path, moved));
        let count = ids.len();
        let what = if count == 1 { "a block".to_owned() } else { format!("{count} blocks") };
        let change = Change::new(format!("Create subsystem from {what}"), edits);
        Some(Edited::selecting(change, Selection::of_block(block)))
    }

    /// Replaces the selected model block by the contents of its model.
    pub fn expand(&self) -> Result<Option<Edited>, CommandError> {
        let id = self.selection.single_block().ok_or(CommandError::NoModelBlock)?;
        let Some(block) = self.model.block(id) else { return Ok(None) };
        let label = format!("Expand {}", block.title());
        let refused = |error| CommandError::Expand { title: block.title().to_string(), error };
        let (expanded, ids) = expand(self.document.simulation, self.model, id).map_err(refused)?;
        let mut edits = self.pins_except(&BTreeSet::from([id]));
        edits.extend(expanded);
        Ok(Some(Edited::selecting(Change::new(label, edits), Selection::of_blocks(ids))))
    }
}
