//! Some blocks of a model with the connections between them and the definitions that they need, for the clipboard.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::simulation::free_name;
use super::transfer::Transfer;
use super::{Block, BlockId, BlockKind, Connection, Edit, Model, Position, Simulation};
use crate::block::Registry;

#[derive(Clone, Debug, Default)]
pub struct Fragment {
    pub blocks: Vec<Arc<Block>>,
    /// The connections between the blocks.
    pub connections: Vec<Arc<Connection>>,
    /// Where the blocks come from. Without it, names refer to the definitions of the destination.
    origin: Option<Origin>,
}

/// A simulation with the definitions that blocks use, and the model that contains the blocks.
#[derive(Clone, Debug)]
struct Origin {
    simulation: Arc<Simulation>,
    model: Arc<str>,
}

/// The edits that paste a fragment.
#[derive(Clone, Debug, Default)]
pub struct Pasted {
    pub edits: Vec<Edit>,
    /// The ids of the pasted blocks.
    pub ids: Vec<BlockId>,
    /// The definitions that are added under another name, since the destination has other definitions of their names:
    /// as text, for the user.
    pub renamed: Vec<String>,
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
        Fragment { blocks, connections, origin: None }
    }

    /// Returns the fragment with the definitions of the simulation from whose model it comes: pasted elsewhere, the blocks
    /// bring the models and variables that they use.
    pub fn with_definitions(self, simulation: &Arc<Simulation>, model: &Arc<str>) -> Fragment {
        Fragment { origin: Some(Origin { simulation: Arc::clone(simulation), model: Arc::clone(model) }), ..self }
    }

    /// Returns the fragment with the current definitions of its document, and with those that the document no longer
    /// has.
    pub fn with_current_definitions(&self, current: &Arc<Simulation>) -> Fragment {
        let Some(origin) = &self.origin else { return self.clone() };
        let was = &origin.simulation;
        if Arc::ptr_eq(was, current) {
            return self.clone();
        }
        let mut simulation = Simulation::clone(current);
        for (name, model) in &was.models {
            simulation.models.entry(Arc::clone(name)).or_insert_with(|| Arc::clone(model));
        }
        for (name, variable) in &was.variables {
            simulation.variables.entry(Arc::clone(name)).or_insert_with(|| Arc::clone(variable));
        }
        self.clone().with_definitions(&Arc::new(simulation), &origin.model)
    }

    /// Returns a simulation of the fragment, in a model of this name, with the models and variables that it uses.
    pub fn alone(&self, registry: &Registry, name: &str) -> Simulation {
        let mut alone = Simulation::new(name);
        let root = Arc::clone(&alone.root);
        let mut blocks = self.blocks.clone();
        if let Some(origin) = &self.origin {
            let mut transfer = Transfer::new(&origin.simulation, &alone);
            transfer.blocks(registry, &mut blocks, &origin.model, &root);
            alone = transfer.finish().1;
        }
        if let Some(model) = alone.model_mut(&root) {
            for block in &blocks {
                model.add_block(Block::clone(block));
            }
            for connection in &self.connections {
                model.connect(Connection::clone(connection));
            }
        }
        alone
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Returns the edits that paste the fragment into a model of the simulation, moved by `shift`, with new ids and unique
    /// titles and port names.
    pub fn paste_into(&self, simulation: &Simulation, registry: &Registry, model: &Model, shift: Position) -> Pasted {
        let mut blocks = self.blocks.clone();
        let mut edits = Vec::new();
        let mut renamed = Vec::new();
        if let Some(origin) = &self.origin {
            let mut transfer = Transfer::new(&origin.simulation, simulation);
            transfer.blocks(registry, &mut blocks, &origin.model, &model.name);
            renamed = transfer.renamed();
            edits = transfer.finish().0;
        }
        let free = model.free_ids();
        let ids: BTreeMap<BlockId, BlockId> = blocks.iter().zip(free).map(|(block, id)| (block.id, id)).collect();
        // Most fragments have neither ports nor labels: the other blocks of the model need not be searched.
        let mut names = None;
        let mut titles = None;
        for block in &blocks {
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
        Pasted { edits, ids: ids.into_values().collect(), renamed }
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
