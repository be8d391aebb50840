//! Some blocks of a model with the connections between them, for the clipboard.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::simulation::free_name;
use super::{Block, BlockId, BlockKind, Connection, Edit, Model, Position};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragment {
    pub blocks: Vec<Arc<Block>>,
    /// The connections between the blocks.
    pub connections: Vec<Arc<Connection>>,
}

impl Fragment {
    /// Copies the blocks of `ids` that the model has, in file order.
    pub fn of(model: &Model, ids: &[BlockId]) -> Fragment {
        let mut blocks: Vec<_> = ids.iter().filter_map(|id| model.block(*id).cloned()).collect();
        blocks.sort_by_key(|block| block.seq);
        blocks.dedup_by_key(|block| block.id);
        let held: BTreeSet<BlockId> = blocks.iter().map(|block| block.id).collect();
        let into_held = held.iter().flat_map(|id| model.sources(*id));
        let mut connections: Vec<_> = into_held.filter(|c| held.contains(&c.from)).cloned().collect();
        connections.sort_by_key(|connection| connection.seq);
        Fragment { blocks, connections }
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Returns the edits that paste the fragment into `model`, moved by `shift`, with new ids and unique titles and
    /// port names; and the new ids.
    pub fn paste_into(&self, model: &Model, shift: Position) -> (Vec<Edit>, Vec<BlockId>) {
        let free = model.free_ids();
        let ids: BTreeMap<BlockId, BlockId> = self.blocks.iter().zip(free).map(|(block, id)| (block.id, id)).collect();
        // Most fragments have neither ports nor labels: the other blocks of the model are not looked at.
        let mut names = None;
        let mut titles = None;
        let mut edits = Vec::new();
        for block in &self.blocks {
            let mut copy = Block::clone(block);
            copy.id = ids[&block.id];
            match &mut copy.kind {
                BlockKind::Entry { name } | BlockKind::Exit { name } => {
                    let taken = names.get_or_insert_with(|| port_names(model));
                    *name = free_name(name, |name| taken.contains(name)).into();
                    taken.insert(Arc::clone(name));
                }
                BlockKind::Library { .. } if copy.attributes.get("label").is_none() => {}
                // A block with a label, or a model block, is identified by its title.
                BlockKind::Library { .. } | BlockKind::Model { .. } => {
                    let of_model = || model.blocks.values().map(|block| block.title().to_owned()).collect();
                    let titles: &mut HashSet<String> = titles.get_or_insert_with(of_model);
                    let title = free_title(copy.title(), titles);
                    if title != copy.title() {
                        copy.attributes.set("label", &title);
                    }
                    titles.insert(title);
                }
            }
            if let Some(position) = block.position() {
                copy.set_position(Position { x: position.x + shift.x, y: position.y + shift.y });
            }
            edits.push(Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(copy) });
        }
        for connection in &self.connections {
            let mut copy = Connection::clone(connection);
            copy.from = ids[&connection.from];
            copy.to = ids[&connection.to];
            edits.push(Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(copy) });
        }
        (edits, ids.into_values().collect())
    }
}

/// Returns the names of all entries and exits.
fn port_names(model: &Model) -> BTreeSet<Arc<str>> {
    model.entries().map(|(_, name)| name).chain(model.exits().map(|(_, name)| name)).cloned().collect()
}

/// Returns `wanted`, or the next numbered title that is free: “Plant 3” after “Plant 2”.
fn free_title(wanted: &str, taken: &HashSet<String>) -> String {
    if !taken.contains(wanted) {
        return wanted.to_owned();
    }
    let (stem, number) = match wanted.rsplit_once(' ').and_then(|(stem, end)| Some((stem, end.parse::<u64>().ok()?))) {
        Some((stem, number)) if !stem.is_empty() => (stem, number),
        _ => (wanted, 1),
    };
    let next = (number.saturating_add(1)..).map(|number| format!("{stem} {number}"));
    let mut free = next.filter(|title| !taken.contains(title));
    free.next().unwrap_or_else(|| wanted.to_owned())
}
