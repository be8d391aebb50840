//! Creates a subsystem from a selection, and expands a model block.

use std::collections::BTreeSet;

use super::{CommandError, Edited, OpenModel};
use crate::app::canvas::Selection;
use crate::app::canvas::scene::BlockView;
use crate::model::{BlockId, Change, ChangeKind, Connection, Edit, Position, expand, group};

impl OpenModel<'_> {
    /// Moves the selected blocks into a new model and replaces them by an instance of it.
    pub fn group(&self) -> Option<Edited> {
        let ids = self.scene.with_carried(self.selection.blocks.iter().copied());
        let mut edits = self.pins();
        // The edits below already contain the positions from the layout.
        let pinned = self.applied(&Change::new("", edits.clone())).ok()?;
        let placed = pinned.model(&self.model.name)?;
        let (grouped, block) = group(&pinned, placed, &ids, "Model")?;
        edits.extend(grouped);
        self.put_on_line(&mut edits, block, &ids);
        let count = ids.len();
        let what = if count == 1 { "a block".to_owned() } else { format!("{count} blocks") };
        let change = Change::new(format!("Create subsystem from {what}"), edits).of_kind(ChangeKind::Regroup);
        Some(Edited::selecting(change, Selection::of_block(block)))
    }

    /// Moves a new subsystem so that its main wire is straight: the first wire that was straight where it entered or left
    /// the blocks that are now inside, else the first that enters.
    fn put_on_line(&self, edits: &mut [Edit], id: BlockId, inside: &BTreeSet<BlockId>) -> Option<()> {
        let simulation = self.applied(&Change::new("", edits.to_vec())).ok()?;
        let model = simulation.model(&self.model.name)?;
        let view_of = |id: BlockId| {
            let block = model.block(id)?;
            block.position()?;
            Some(BlockView::new(&simulation, self.document.registry, model, block))
        };
        let instance = view_of(id)?;
        // How far the subsystem is beside the line of each of its wires.
        let mut wires: Vec<_> =
            model.connections.values().filter(|wire| (wire.from == id) != (wire.to == id)).collect();
        wires.sort_by_key(|wire| (wire.from == id, wire.seq));
        let miss = |wire: &Connection| match wire.to == id {
            true => {
                let source = view_of(wire.from)?;
                let is_level = !source.outline.facing.is_vertical();
                Some(source.output_at(&wire.output)?.y - instance.input_at(&wire.input)?.y).filter(|_| is_level)
            }
            false => {
                let target = view_of(wire.to)?;
                let is_level = !target.outline.facing.is_vertical();
                Some(target.input_at(&wire.input)?.y - instance.output_at(&wire.output)?.y).filter(|_| is_level)
            }
        };
        let was_straight = |wire: &Connection| {
            let old = self.scene.wires().filter(|old| match wire.to == id {
                true => {
                    let Connection { from, output, to, .. } = &*old.connection;
                    (*from, output) == (wire.from, &wire.output) && inside.contains(to)
                }
                false => old.key() == wire.key() && inside.contains(&old.connection.from),
            });
            old.into_iter().any(|old| old.points.len() == 2)
        };
        let misses: Vec<(bool, f32)> =
            wires.iter().filter_map(|wire| Some((was_straight(wire), miss(wire)?))).collect();
        let (_, shift) = misses.iter().find(|(was_straight, _)| *was_straight).or_else(|| misses.first())?;
        let added = edits.iter_mut().find_map(|edit| match edit {
            Edit::AddBlock { model, block } if *model == self.model.name && block.id == id => Some(block),
            _ => None,
        })?;
        let at = added.position()?;
        added.set_position(Position { x: at.x, y: at.y + f64::from(*shift) });
        Some(())
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
        let change = Change::new(label, edits).of_kind(ChangeKind::Regroup);
        Ok(Some(Edited::selecting(change, Selection::of_blocks(ids))))
    }
}
