//! A simulation and its models.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::connection::InputRef;
use super::{Attributes, Block, BlockId, BlockKind, Connection, Extra, InputKey, SharedMap, Variable, Variables};

#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The number of steps of a run; 0 means until stopped.
    pub steps: u64,
    /// The step length in seconds.
    pub delta: f64,
    /// The name of the top-level model.
    pub root: Arc<str>,
    /// All attributes except steps, delta and root, and invalid texts of these three.
    pub attributes: Attributes,
    pub models: BTreeMap<Arc<str>, Arc<Model>>,
    /// The variables for the parameters of all models.
    pub variables: Variables,
    /// Comments and unknown elements between the models, by sequence number.
    pub extras: BTreeMap<u64, Extra>,
    /// Comments before and after the root element.
    pub prolog: Vec<Extra>,
    pub epilog: Vec<Extra>,
    next_seq: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub name: Arc<str>,
    /// All attributes except the name.
    pub attributes: Attributes,
    pub blocks: SharedMap<BlockId, Arc<Block>>,
    /// Keyed by input, so that an input cannot have two sources.
    pub connections: SharedMap<InputKey, Arc<Connection>>,
    /// The variables for the parameters of this model; each instance can override their values.
    pub variables: Variables,
    /// Comments, unknown and invalid elements, by sequence number among blocks and connections.
    pub extras: BTreeMap<u64, Extra>,
    /// The model's position in the file.
    pub seq: u64,
    next_seq: u64,
    next_id: i128,
}

/// The default solver.
pub const DEFAULT_SOLVER: &str = "rk4";

impl Default for Simulation {
    fn default() -> Simulation {
        Simulation {
            steps: 0,
            delta: 1.0,
            root: "".into(),
            attributes: Attributes::default(),
            models: BTreeMap::new(),
            variables: Variables::new(),
            extras: BTreeMap::new(),
            prolog: Vec::new(),
            epilog: Vec::new(),
            next_seq: 0,
        }
    }
}

impl Simulation {
    /// Creates a simulation with an empty root model.
    pub fn new(root: &str) -> Simulation {
        let mut simulation = Simulation { root: root.into(), ..Simulation::default() };
        simulation.add_model(Model::new(root));
        simulation
    }

    pub fn model(&self, name: &str) -> Option<&Arc<Model>> {
        self.models.get(name)
    }

    /// Returns a model for modification; it is copied if it is shared.
    pub fn model_mut(&mut self, name: &str) -> Option<&mut Model> {
        self.models.get_mut(name).map(Arc::make_mut)
    }

    pub fn root_model(&self) -> Option<&Arc<Model>> {
        self.model(&self.root)
    }

    /// Returns the attribute `solver`, or the default.
    pub fn solver(&self) -> &str {
        self.attributes.get("solver").unwrap_or(DEFAULT_SOLVER)
    }

    /// Whether algebraic loops are solved (the attribute `loops` is `solve`). Otherwise they are errors.
    pub fn solves_loops(&self) -> bool {
        self.attributes.get("loops") == Some("solve")
    }

    /// Appends a model and returns true, or returns false if the name is already in use.
    pub fn add_model(&mut self, mut model: Model) -> bool {
        if self.models.contains_key(&model.name) {
            return false;
        }
        model.seq = self.take_seq();
        self.models.insert(Arc::clone(&model.name), Arc::new(model));
        true
    }

    /// Replaces the variable of that name, or appends a new one.
    pub fn set_variable(&mut self, name: &str, mut variable: Variable) {
        let known = self.variables.get(name).map(|known| known.seq);
        variable.seq = known.unwrap_or_else(|| self.take_seq());
        self.variables.insert(name.into(), Arc::new(variable));
    }

    pub fn add_extra(&mut self, extra: Extra) {
        let seq = self.take_seq();
        self.extras.insert(seq, extra);
    }

    fn take_seq(&mut self) -> u64 {
        self.next_seq += 1;
        self.next_seq - 1
    }

    /// Returns the models in file order.
    pub fn models_in_order(&self) -> Vec<&Arc<Model>> {
        let mut models: Vec<_> = self.models.values().collect();
        models.sort_by_key(|model| model.seq);
        models
    }

    /// Returns the instances of a model: the containing model and the block, sorted by name and id.
    pub fn instances_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Arc<Model>, BlockId)> {
        self.models.values().flat_map(move |model| {
            let uses = model.blocks.values().filter(move |block| block.kind.is_instance_of(name));
            uses.map(move |block| (model, block.id))
        })
    }

    /// Returns the model blocks that are instances of a model or have it as a variant, in the order of
    /// [`Simulation::instances_of`].
    pub fn users_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Arc<Model>, BlockId)> {
        self.models.values().flat_map(move |model| {
            let uses = model.blocks.values().filter(move |block| block.models().iter().any(|model| **model == *name));
            uses.map(move |block| (model, block.id))
        })
    }

    /// Returns `wanted`, with a number appended if a model has that name.
    pub fn free_model_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.models.contains_key(name))
    }
}

impl BlockKind {
    pub fn is_instance_of(&self, name: &str) -> bool {
        matches!(self, BlockKind::Model { model } if &**model == name)
    }
}

impl Model {
    pub fn new(name: &str) -> Model {
        Model {
            name: name.into(),
            attributes: Attributes::default(),
            blocks: SharedMap::new(),
            connections: SharedMap::new(),
            variables: Variables::new(),
            extras: BTreeMap::new(),
            seq: 0,
            next_seq: 0,
            next_id: 0,
        }
    }

    pub fn block(&self, id: BlockId) -> Option<&Arc<Block>> {
        self.blocks.get(&id)
    }

    pub fn block_mut(&mut self, id: BlockId) -> Option<&mut Block> {
        self.blocks.get_mut(&id).map(Arc::make_mut)
    }

    /// Appends a block and returns true, or returns false if the id is already in use.
    pub fn add_block(&mut self, mut block: Block) -> bool {
        if self.blocks.contains_key(&block.id) {
            return false;
        }
        block.seq = self.take_seq();
        self.next_id = self.next_id.max(block.id.0 + 1);
        self.blocks.insert(block.id, Arc::new(block));
        true
    }

    /// Removes a block and its connections.
    pub fn remove_block(&mut self, id: BlockId) -> Option<Arc<Block>> {
        let block = self.blocks.get(&id).cloned();
        self.remove_blocks(&BTreeSet::from([id]));
        block
    }

    /// Removes blocks and their connections.
    pub fn remove_blocks(&mut self, ids: &BTreeSet<BlockId>) {
        self.blocks.retain(|id, _| !ids.contains(id));
        let is_removed = |id: BlockId| ids.contains(&id);
        self.connections.retain(|_, connection| !is_removed(connection.from) && !is_removed(connection.to));
    }

    /// Appends a connection; returns the connection that the input had before.
    pub fn connect(&mut self, mut connection: Connection) -> Option<Arc<Connection>> {
        connection.seq = self.take_seq();
        self.connections.insert(connection.key(), Arc::new(connection))
    }

    /// Replaces the variable of that name, or appends a new one.
    pub fn set_variable(&mut self, name: &str, mut variable: Variable) {
        let known = self.variables.get(name).map(|known| known.seq);
        variable.seq = known.unwrap_or_else(|| self.take_seq());
        self.variables.insert(name.into(), Arc::new(variable));
    }

    pub fn add_extra(&mut self, extra: Extra) {
        let seq = self.take_seq();
        self.extras.insert(seq, extra);
    }

    fn take_seq(&mut self) -> u64 {
        self.next_seq += 1;
        self.next_seq - 1
    }

    /// Returns an id that no block of this model has had since it was loaded.
    pub fn free_id(&self) -> BlockId {
        self.free_ids().next().unwrap_or(BlockId::MAX)
    }

    /// Returns the ids for new blocks: first those that no block of this model has had since it was loaded. After the
    /// greatest possible id come those that are free again.
    pub fn free_ids(&self) -> impl Iterator<Item = BlockId> {
        let is_free = |id: &BlockId| !self.blocks.contains_key(id);
        let again = (0..self.next_id.min(BlockId::MAX.0 + 1)).map(BlockId).filter(is_free);
        (self.next_id..=BlockId::MAX.0).map(BlockId).chain(again)
    }

    /// Gives blocks other ids, all at once; their connections follow. A block keeps its id if two would have one id.
    pub fn renumber(&mut self, ids: &BTreeMap<BlockId, BlockId>) {
        let blocks: BTreeMap<BlockId, Arc<Block>> =
            self.blocks.iter().map(|(id, block)| (*id, Arc::clone(block))).collect();
        let mut now: BTreeMap<BlockId, BlockId> = BTreeMap::new();
        let mut taken: BTreeSet<BlockId> = blocks.keys().copied().filter(|id| !ids.contains_key(id)).collect();
        for (old, new) in ids.iter().filter(|(old, _)| blocks.contains_key(old)) {
            let id = [*new, *old].into_iter().chain((self.next_id..).map(BlockId)).find(|id| taken.insert(*id));
            now.extend(id.map(|id| (*old, id)));
        }
        let now_of = |id: BlockId| now.get(&id).copied().unwrap_or(id);
        self.blocks.clear();
        for (id, mut block) in blocks {
            let id = now_of(id);
            self.next_id = self.next_id.max(id.0 + 1);
            if block.id != id {
                Arc::make_mut(&mut block).id = id;
            }
            self.blocks.insert(id, block);
        }
        let wires: Vec<Arc<Connection>> = self.connections.values().cloned().collect();
        self.connections.clear();
        for mut wire in wires {
            let ends = (now_of(wire.from), now_of(wire.to));
            if ends != (wire.from, wire.to) {
                let wire = Arc::make_mut(&mut wire);
                (wire.from, wire.to) = ends;
            }
            self.connections.insert(wire.key(), wire);
        }
    }

    /// Returns the connection to an input.
    pub fn source(&self, block: BlockId, input: &str) -> Option<&Arc<Connection>> {
        self.connections.get(&(block, input) as &dyn InputRef)
    }

    /// Returns the connections to the inputs of a block, sorted by input.
    pub fn sources(&self, block: BlockId) -> impl Iterator<Item = &Arc<Connection>> {
        let first: &dyn InputRef = &(block, "");
        self.connections
            .range_from(first)
            .take_while(move |(key, _)| key.block == block)
            .map(|(_, connection)| connection)
    }

    /// Calls `f` with each block in ascending id, and the connections to its inputs sorted by input.
    pub fn each_with_sources<'a>(&'a self, mut f: impl FnMut(&'a Arc<Block>, &[&'a Arc<Connection>])) {
        let mut connections = self.connections.values().peekable();
        let mut own = Vec::new();
        for (id, block) in &self.blocks {
            own.clear();
            while let Some(connection) = connections.next_if(|connection| connection.to <= *id) {
                // One that leads to no block is left out.
                own.extend((connection.to == *id).then_some(connection));
            }
            f(block, &own);
        }
    }

    /// Returns the user-defined name of an output's signal.
    pub fn signal_name(&self, block: BlockId, output: &str) -> Option<&str> {
        let wires = self.connections.values().filter(|wire| wire.from == block && &*wire.output == output);
        wires.filter_map(|wire| wire.attributes.get(Connection::NAME)).next()
    }

    pub fn entries(&self) -> impl Iterator<Item = (&Arc<Block>, &Arc<str>)> {
        self.blocks.values().filter_map(|block| match &block.kind {
            BlockKind::Entry { name } => Some((block, name)),
            _ => None,
        })
    }

    pub fn exits(&self) -> impl Iterator<Item = (&Arc<Block>, &Arc<str>)> {
        self.blocks.values().filter_map(|block| match &block.kind {
            BlockKind::Exit { name } => Some((block, name)),
            _ => None,
        })
    }

    /// Returns `wanted`, with a number appended if an entry or exit has that name.
    pub fn free_port_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| {
            self.entries().any(|(_, known)| &**known == name) || self.exits().any(|(_, known)| &**known == name)
        })
    }
}

/// Returns `wanted`, with a number appended if it is taken.
pub(super) fn free_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number: u64| format!("{wanted} {number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}
