//! A simulation and its models.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Attributes, Block, BlockId, BlockKind, Connection, Extra, InputKey, Variable, Variables};

#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// How many steps a run takes; 0: until stopped.
    pub steps: u64,
    /// Seconds a step.
    pub delta: f64,
    /// The name of the model that runs.
    pub root: Arc<str>,
    /// All but steps, delta and root. A text that could not be understood as one of those three stands here too.
    pub attributes: Attributes,
    pub models: BTreeMap<Arc<str>, Arc<Model>>,
    /// For the parameters of all models.
    pub variables: Variables,
    /// Comments and unknown elements between the models, by their place.
    pub extras: BTreeMap<u64, Extra>,
    /// Before and behind the root element.
    pub prolog: Vec<Extra>,
    pub epilog: Vec<Extra>,
    next_seq: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub name: Arc<str>,
    /// All but the name.
    pub attributes: Attributes,
    pub blocks: BTreeMap<BlockId, Arc<Block>>,
    /// Keyed by input, so that a second source cannot exist.
    pub connections: BTreeMap<InputKey, Arc<Connection>>,
    /// For the parameters of this model, and with other values those of each use.
    pub variables: Variables,
    /// Comments, unknown elements and what could not be understood, by their place among blocks and connections.
    pub extras: BTreeMap<u64, Extra>,
    /// The model's place in the simulation.
    pub seq: u64,
    next_seq: u64,
    next_id: i128,
}

/// The solver of a simulation that names none.
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
    /// One empty root model.
    pub fn new(root: &str) -> Simulation {
        let mut simulation = Simulation { root: root.into(), ..Simulation::default() };
        simulation.add_model(Model::new(root));
        simulation
    }

    pub fn model(&self, name: &str) -> Option<&Arc<Model>> {
        self.models.get(name)
    }

    /// For writing to; the model is copied where somebody else holds it too.
    pub fn model_mut(&mut self, name: &str) -> Option<&mut Model> {
        self.models.get_mut(name).map(Arc::make_mut)
    }

    pub fn root_model(&self) -> Option<&Arc<Model>> {
        self.model(&self.root)
    }

    /// The attribute `solver`, or the default.
    pub fn solver(&self) -> &str {
        self.attributes.get("solver").unwrap_or(DEFAULT_SOLVER)
    }

    /// Whether algebraic loops are solved: the attribute `loops` is `solve`. Else they are refused.
    pub fn solves_loops(&self) -> bool {
        self.attributes.get("loops") == Some("solve")
    }

    /// Adds behind all others and returns true, or does nothing where the name is taken.
    pub fn add_model(&mut self, mut model: Model) -> bool {
        if self.models.contains_key(&model.name) {
            return false;
        }
        model.seq = self.take_seq();
        self.models.insert(Arc::clone(&model.name), Arc::new(model));
        true
    }

    /// Puts a variable in the place of the one of that name, or behind all else.
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

    /// The models in the order of the file.
    pub fn models_in_order(&self) -> Vec<&Arc<Model>> {
        let mut models: Vec<_> = self.models.values().collect();
        models.sort_by_key(|model| model.seq);
        models
    }

    /// The models and blocks that use `name`, in the order of names and ids.
    pub fn uses_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Arc<Model>, BlockId)> {
        self.models.values().flat_map(move |model| {
            let uses = model.blocks.values().filter(move |block| block.kind.uses_model(name));
            uses.map(move |block| (model, block.id))
        })
    }

    /// `wanted`, or it with a number behind it that no model has.
    pub fn free_model_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.models.contains_key(name))
    }
}

impl BlockKind {
    pub fn uses_model(&self, name: &str) -> bool {
        matches!(self, BlockKind::Model { model } if &**model == name)
    }
}

impl Model {
    pub fn new(name: &str) -> Model {
        Model {
            name: name.into(),
            attributes: Attributes::default(),
            blocks: BTreeMap::new(),
            connections: BTreeMap::new(),
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

    /// Adds behind all others and returns true, or does nothing where the id is taken.
    pub fn add_block(&mut self, mut block: Block) -> bool {
        if self.blocks.contains_key(&block.id) {
            return false;
        }
        block.seq = self.take_seq();
        self.next_id = self.next_id.max(block.id.0 + 1);
        self.blocks.insert(block.id, Arc::new(block));
        true
    }

    /// Removes the block and its connections.
    pub fn remove_block(&mut self, id: BlockId) -> Option<Arc<Block>> {
        let block = self.blocks.get(&id).cloned();
        self.remove_blocks(&BTreeSet::from([id]));
        block
    }

    /// Removes blocks and their connections.
    pub fn remove_blocks(&mut self, ids: &BTreeSet<BlockId>) {
        self.blocks.retain(|id, _| !ids.contains(id));
        let is_going = |id: BlockId| ids.contains(&id);
        self.connections.retain(|_, connection| !is_going(connection.from) && !is_going(connection.to));
    }

    /// Connects behind all others; returns the connection that the input had before.
    pub fn connect(&mut self, mut connection: Connection) -> Option<Arc<Connection>> {
        connection.seq = self.take_seq();
        self.connections.insert(connection.key(), Arc::new(connection))
    }

    /// Puts a variable in the place of the one of that name, or behind all else.
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

    /// An id that no block of this model has ever had, as far as is known.
    pub fn free_id(&self) -> BlockId {
        match self.next_id {
            // The greatest was taken once.
            next if next > BlockId::GREATEST.0 => {
                (0..).map(BlockId).find(|id| !self.blocks.contains_key(id)).unwrap_or(BlockId::GREATEST)
            }
            next => BlockId(next),
        }
    }

    /// The connection that feeds an input.
    pub fn source(&self, block: BlockId, input: &str) -> Option<&Arc<Connection>> {
        self.connections.get(&InputKey::new(block, input))
    }

    /// The name that a user gave the signal of an output.
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

    /// `wanted`, or it with a number behind it that no entry or exit has.
    pub fn free_port_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| {
            self.entries().any(|(_, known)| &**known == name) || self.exits().any(|(_, known)| &**known == name)
        })
    }
}

/// `wanted`, or it with a number behind it that is not taken.
pub(super) fn free_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number: u64| format!("{wanted} {number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}
