//! Signals that are connected by name instead of a wire: Goto/From tags and data stores.
//!
//! A block with a parameter of the kind [`crate::block::ParamKind::Tag`] provides a signal under a name, or reads one.
//! Within a model this becomes a wire from the provider to each reader. A name that a model does not define is looked
//! up in the models around it, from the inside out, for each instance: every model in between gets a hidden entry, or a
//! hidden exit where a store is written. The result is an ordinary simulation: engines, the loop search and conditional
//! subsystems need not know about names.
//!
//! Writes to a store happen in the order of the block ids in the store's model, within a model block in the order
//! inside; the last write wins.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::{
    Block, BlockId, BlockKind, BlockPorts, Connection, Diagnostic, Flow, Model, Scope, Simulation, library_ports,
    nesting, settings_of,
};
use crate::block::{BlockDef, ParamDef, Registry, Settings, TagRole};

/// A simulation with wires instead of names.
pub struct Linked<'a> {
    pub simulation: Cow<'a, Simulation>,
    /// Undefined names, and names that are defined twice.
    pub problems: Vec<Diagnostic>,
}

/// The name of hidden ports for named signals. No file and no diagram contains it.
const PORT: &str = "→";
/// The attribute of hidden entries and exits; its name is not possible in a file.
const MARK: &str = "";

/// A name with its namespace (signal or store).
type Name = (&'static str, Arc<str>);

/// A block with the name of its model.
type Origin = (Arc<str>, BlockId);

/// An input or output of a block.
type End = (BlockId, Arc<str>);

/// The names that a model needs from the models around it.
#[derive(Clone, Default)]
struct Needs {
    /// Signals, each with the blocks that read it.
    takes: BTreeMap<Name, BTreeSet<Origin>>,
    /// Stores, each with the hidden exits and the blocks that write it, in write order.
    sets: BTreeMap<Name, Vec<(Arc<str>, Origin)>>,
}

/// Replaces names by wires.
pub fn link<'a>(simulation: &'a Simulation, registry: &Registry) -> Linked<'a> {
    if !has_tags(simulation, registry) {
        return Linked { simulation: Cow::Borrowed(simulation), problems: Vec::new() };
    }
    let mut linker = Linker { registry, simulation: simulation.clone(), needs: BTreeMap::new(), problems: Vec::new() };
    for name in nesting(simulation).order {
        linker.link_model(&name);
    }
    linker.refuse_unknown();
    Linked { simulation: Cow::Owned(linker.simulation), problems: linker.problems }
}

/// Whether an entry or exit of a linked simulation is hidden.
pub fn is_hidden(block: &Block) -> bool {
    block.attributes.get(MARK).is_some()
}

/// Whether a port is hidden in diagrams.
pub fn is_hidden_port(name: &str) -> bool {
    name.starts_with(PORT)
}

/// Returns the ports of a library block in a linked simulation: the visible ones, then the hidden ones.
pub fn linked_ports(def: &BlockDef, settings: &Settings, model: &Model, id: BlockId) -> BlockPorts {
    let mut ports = library_ports(def, settings);
    if let Some((_, _, role)) = def.tag() {
        ports.outputs.extend(role.has_output().then(|| PORT.into()));
        ports.inputs.extend((0..).map(port).take_while(|input| model.source(id, input).is_some()));
    }
    ports
}

/// Returns the name of a hidden input: a store has one for each block that writes it.
fn port(number: usize) -> Arc<str> {
    if number == 0 { PORT.into() } else { format!("{PORT} {}", number + 1).into() }
}

fn has_tags(simulation: &Simulation, registry: &Registry) -> bool {
    // This runs for every new wire: collecting the few definitions with tags first keeps it fast.
    let named: Vec<&BlockDef> = registry.iter().filter(|def| def.tag().is_some()).collect();
    let mut blocks = simulation.models.values().flat_map(|model| model.blocks.values());
    blocks.any(|block| match &block.kind {
        BlockKind::Library { group, name } => named.iter().any(|def| def.name == &**name && def.group == &**group),
        _ => false,
    })
}

fn def_of(block: &Block, registry: &Registry) -> Option<&'static BlockDef> {
    match &block.kind {
        BlockKind::Library { group, name } => registry.get(group, name),
        _ => None,
    }
}

/// A block with a tag.
struct Named {
    id: BlockId,
    role: TagRole,
    name: Name,
    /// For a provider: whether models inside see the name.
    reaches_inside: bool,
    /// Whether all visible inputs are connected.
    is_fed: bool,
}

struct Linker<'a> {
    registry: &'a Registry,
    simulation: Simulation,
    /// The needs of the linked models, by model name.
    needs: BTreeMap<Arc<str>, Needs>,
    problems: Vec<Diagnostic>,
}

impl Linker<'_> {
    /// Links a model; the models inside must be linked already.
    fn link_model(&mut self, name: &Arc<str>) {
        let Some(model) = self.simulation.model(name).cloned() else { return };
        let named = self.named(&model);
        let givers = self.givers(&model, named.values());
        let giver = |name: &Name, is_inside: bool| {
            let id = givers.get(name)?;
            (!is_inside || named.get(id)?.reaches_inside).then_some(*id)
        };
        let mut link = Link::new(Model::clone(&model));
        for block in model.blocks.values() {
            let own = named.get(&block.id).map(|named| (named, (Arc::clone(name), block.id)));
            match own {
                Some((Named { role: TagRole::Receiver, name, .. }, origin)) => {
                    link.take(name, giver(name, false), (block.id, PORT.into()), [origin]);
                }
                Some((Named { role: TagRole::Writer, name, is_fed: true, .. }, origin)) => {
                    link.set(name, giver(name, false), (block.id, PORT.into()), origin);
                }
                _ => {}
            }
            let BlockKind::Model { model: inner } = &block.kind else { continue };
            let Some(needs) = self.needs.get(inner).cloned() else { continue };
            for (name, origins) in needs.takes {
                let from = giver(&name, true);
                link.take(&name, from, (block.id, entry_name(&name)), origins);
            }
            let is_each = self.simulation.model(inner).is_some_and(|inner| !Flow::of(inner).each.is_empty());
            for (name, exits) in needs.sets {
                for (exit, origin) in exits {
                    if is_each {
                        self.refuse_each(&origin, inner);
                    }
                    link.set(&name, giver(&name, true), (block.id, exit), origin);
                }
            }
        }
        self.needs.insert(Arc::clone(name), link.needs);
        if let Some(linked) = self.simulation.models.get_mut(name) {
            *linked = Arc::new(link.model);
        }
    }

    fn named(&self, model: &Model) -> BTreeMap<BlockId, Named> {
        let scope = Scope::of_model(&self.simulation, model);
        let named = model.blocks.values().filter_map(|block| {
            let def = def_of(block, self.registry)?;
            let (param, space, role) = def.tag()?;
            let settings = settings_of(def, block, &scope).0;
            let reach = ParamDef::TAG_REACH.name;
            let inputs = library_ports(def, &settings).inputs;
            Some(Named {
                id: block.id,
                role,
                name: (space, settings.text(param).into()),
                reaches_inside: def.param(reach).is_none() || settings.choice(reach) != "local",
                is_fed: inputs.iter().all(|input| model.source(block.id, input).is_some()),
            })
        });
        named.map(|named| (named.id, named)).collect()
    }

    /// Returns the providers by name.
    fn givers<'n>(&mut self, model: &Model, named: impl Iterator<Item = &'n Named>) -> BTreeMap<Name, BlockId> {
        let mut givers = BTreeMap::new();
        for Named { id, name, .. } in named.filter(|named| named.role.is_origin()) {
            if let Some(first) = givers.get(name) {
                let (space, text) = name;
                let message = format!("this model already has a {space} “{text}”, {first}");
                let problem = Diagnostic::error("duplicate-tag", message).help("give one of them another name");
                self.problems.push(problem.on_block(&model.name, *id));
            } else {
                givers.insert(name.clone(), *id);
            }
        }
        givers
    }

    fn refuse_each(&mut self, (model, id): &Origin, inner: &str) {
        let message = format!("“{inner}” runs for each element of a vector, and each iteration would write the store");
        let help = "connect the value to an exit and write the store outside";
        let problem = Diagnostic::error("store-in-each", message).help(help).on_block(model, *id);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Reports the names that the root still needs.
    fn refuse_unknown(&mut self) {
        let needs = self.needs.get(&self.simulation.root).cloned().unwrap_or_default();
        let takes = needs.takes.into_iter().map(|(name, origins)| (name, origins.into_iter().collect::<Vec<_>>()));
        let sets =
            needs.sets.into_iter().map(|(name, exits)| (name, exits.into_iter().map(|(_, from)| from).collect()));
        for ((space, text), origins) in takes.chain(sets) {
            let mut reported = BTreeSet::new();
            for (model, id) in origins.into_iter().filter(|origin| reported.insert(origin.clone())) {
                let message = format!("there is no {space} “{text}” in this model or around it");
                let help = format!(
                    "add a block that provides the {space} “{text}” to this model, or to an outer one with a scope that \
                     includes inner models"
                );
                self.problems.push(Diagnostic::error("unknown-tag", message).help(help).on_block(&model, id));
            }
        }
    }
}

/// A model that is being linked.
struct Link {
    model: Model,
    needs: Needs,
    /// The hidden entries by name.
    entries: BTreeMap<Name, BlockId>,
    /// The number of writes to each store so far.
    written: BTreeMap<BlockId, usize>,
}

impl Link {
    fn new(model: Model) -> Link {
        Link { model, needs: Needs::default(), entries: BTreeMap::new(), written: BTreeMap::new() }
    }

    /// Connects an input to the provider of a name in this model, or to a hidden entry.
    fn take(&mut self, name: &Name, giver: Option<BlockId>, to: End, origins: impl IntoIterator<Item = Origin>) {
        let from = match giver {
            Some(giver) => (giver, PORT.into()),
            None => {
                self.needs.takes.entry(name.clone()).or_default().extend(origins);
                (self.entry(name), BlockPorts::OUTPUT.into())
            }
        };
        self.wire(from, to);
    }

    /// Connects an output to the store of that name in this model, or to a hidden exit.
    fn set(&mut self, name: &Name, holder: Option<BlockId>, from: End, origin: Origin) {
        let to = match holder {
            Some(holder) => {
                let written = self.written.entry(holder).or_default();
                *written += 1;
                (holder, port(*written - 1))
            }
            None => {
                let exits = self.needs.sets.entry(name.clone()).or_default();
                let exit: Arc<str> = format!("← {} {} {}", name.0, name.1, exits.len() + 1).into();
                exits.push((Arc::clone(&exit), origin));
                (self.add(BlockKind::Exit { name: exit }), BlockPorts::INPUT.into())
            }
        };
        self.wire(from, to);
    }

    fn entry(&mut self, name: &Name) -> BlockId {
        if let Some(known) = self.entries.get(name) {
            return *known;
        }
        let id = self.add(BlockKind::Entry { name: entry_name(name) });
        self.entries.insert(name.clone(), id);
        id
    }

    fn add(&mut self, kind: BlockKind) -> BlockId {
        let id = self.model.free_id();
        let mut block = Block::new(id, kind);
        block.attributes.set(MARK, "1");
        self.model.add_block(block);
        id
    }

    fn wire(&mut self, (from, output): End, (to, input): End) {
        self.model.connect(Connection::new(from, &output, to, &input));
    }
}

fn entry_name((space, name): &Name) -> Arc<str> {
    format!("{PORT} {space} {name}").into()
}
