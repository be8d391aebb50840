//! The ports of a block with its current options. Those of a model block follow its model's entries and exits.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{Block, BlockId, BlockKind, Model, PortRef, Role, Scope, Simulation};
use crate::block::language::Names;
use crate::block::{ARGUMENT_LINES, BlockDef, ParamDef, Ports, Registry, SettingError, Settings, assignments};

/// The names of a block's ports, from top to bottom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlockPorts {
    pub inputs: Vec<Arc<str>>,
    pub outputs: Vec<Arc<str>>,
}

/// The interface of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelPorts {
    /// The inputs: each name of an entry without an exit of the same name, with all entries of that name. An entry with
    /// the role `index` is not an input.
    pub inputs: Vec<(Arc<str>, Vec<BlockId>)>,
    /// The outputs: exits without an entry of the same name, except loop conditions.
    pub outputs: Vec<(Arc<str>, BlockId)>,
    /// Each exit with the entries of the same name, which have its value of the previous step.
    pub pairs: Vec<(BlockId, Vec<BlockId>)>,
}

impl BlockPorts {
    pub const OUTPUT: &str = "Output";
    pub const INPUT: &str = "Input";

    pub fn has_input(&self, name: &str) -> bool {
        self.inputs.iter().any(|known| &**known == name)
    }

    pub fn has_output(&self, name: &str) -> bool {
        self.outputs.iter().any(|known| &**known == name)
    }
}

/// Returns the ports of a block of `model`. An unknown block has the ports that its connections name.
pub fn block_ports(simulation: &Simulation, registry: &Registry, model: &Model, block: &Block) -> BlockPorts {
    match &block.kind {
        BlockKind::Entry { .. } => BlockPorts { inputs: Vec::new(), outputs: vec![BlockPorts::OUTPUT.into()] },
        BlockKind::Exit { .. } => BlockPorts { inputs: vec![BlockPorts::INPUT.into()], outputs: Vec::new() },
        BlockKind::Model { model: name } => match simulation.model(name) {
            Some(inner) => {
                let ports = model_ports(inner);
                BlockPorts {
                    inputs: ports.inputs.into_iter().map(|(name, _)| name).collect(),
                    outputs: ports.outputs.into_iter().map(|(name, _)| name).collect(),
                }
            }
            None => ports_in_use(model, block.id),
        },
        BlockKind::Library { .. } => match definition_of(registry, block) {
            Some(def) => library_ports(def, &settings_of(def, block, &Scope::of_model(simulation, model)).0),
            None if block.is_placeholder() => super::placeholder::ports(block, ports_in_use(model, block.id)),
            None => ports_in_use(model, block.id),
        },
    }
}

/// Whether a block has a port. This is faster than [`block_ports`] for blocks with fixed ports.
pub fn has_port(simulation: &Simulation, registry: &Registry, model: &Model, block: &Block, port: &PortRef) -> bool {
    if let BlockKind::Library { group, name } = &block.kind
        && let Some(def) = registry.get(group, name)
        && let (Ports::Fixed(inputs), Ports::Fixed(outputs)) = (&def.inputs, &def.outputs)
    {
        return match port {
            PortRef::Input(name) => inputs.contains(&&**name),
            PortRef::Output(name) => outputs.contains(&&**name),
        };
    }
    let ports = block_ports(simulation, registry, model, block);
    match port {
        PortRef::Input(name) => ports.has_input(name),
        PortRef::Output(name) => ports.has_output(name),
    }
}

/// Returns the ports of a library block with these settings.
pub fn library_ports(def: &BlockDef, settings: &Settings) -> BlockPorts {
    let names = |ports: &crate::block::Ports| ports.names(settings).into_iter().map(Arc::from).collect();
    BlockPorts { inputs: names(&def.inputs), outputs: names(&def.outputs) }
}

/// Ports of blocks, with equal ones shared: those of most blocks of a large model are equal.
#[derive(Debug, Default)]
pub struct SharedPorts {
    /// The ports of definitions whose ports do not depend on settings.
    fixed: HashMap<*const BlockDef, Arc<BlockPorts>>,
    known: HashSet<Arc<BlockPorts>>,
}

impl SharedPorts {
    /// Returns the ports of a library block with these settings.
    pub fn of_library(&mut self, def: &'static BlockDef, settings: &Settings) -> Arc<BlockPorts> {
        if let (Ports::Fixed(_), Ports::Fixed(_)) = (&def.inputs, &def.outputs) {
            let ports = self.fixed.entry(std::ptr::from_ref(def));
            return Arc::clone(ports.or_insert_with(|| Arc::new(library_ports(def, settings))));
        }
        self.share(library_ports(def, settings))
    }

    /// Returns these ports, or equal ones that are known.
    pub fn share(&mut self, ports: BlockPorts) -> Arc<BlockPorts> {
        if let Some(known) = self.known.get(&ports) {
            return Arc::clone(known);
        }
        let ports = Arc::new(ports);
        self.known.insert(Arc::clone(&ports));
        ports
    }
}

/// Returns the definition of a block of the library. The arguments of its code that are parameters are among its own.
pub fn definition_of(registry: &Registry, block: &Block) -> Option<&'static BlockDef> {
    let BlockKind::Library { group, name } = &block.kind else { return None };
    Some(registry.get(group, name)?.with_arguments(|option| block.option_texts(option)))
}

/// Returns the texts of a parameter of a block: its own, those of a line of [`ARGUMENT_LINES`] for an argument of code, or
/// the default.
pub fn param_texts(block: &Block, param: &ParamDef) -> Vec<String> {
    if let Some(texts) = block.option_texts(param.name) {
        return texts.into_iter().map(str::to_owned).collect();
    }
    line_of(block, param).map_or_else(|| param.default_texts(), |line| vec![line])
}

/// Returns the value that a line of [`ARGUMENT_LINES`] gives to an argument of code.
pub fn line_of(block: &Block, param: &ParamDef) -> Option<String> {
    let lines = block.option_texts(ARGUMENT_LINES).filter(|_| param.is_argument)?.join("\n");
    let lines = assignments(&lines).unwrap_or_default();
    lines.into_iter().find(|(name, _)| *name == param.name).map(|(_, value)| value.to_owned())
}

/// Evaluates a block's options with these names; returns the settings and the errors.
pub fn settings_of(def: &'static BlockDef, block: &Block, names: &dyn Names) -> (Settings, Vec<SettingError>) {
    Settings::read(def, |name| block.option_texts(name), names)
}

/// Returns the interface of a model, in file order.
pub fn model_ports(model: &Model) -> ModelPorts {
    let mut entries: Vec<_> = model.entries().collect();
    let mut exits: Vec<_> = model.exits().collect();
    entries.sort_by_key(|(block, _)| block.seq);
    exits.sort_by_key(|(block, _)| block.seq);
    let entry_names: BTreeSet<&str> = entries.iter().map(|(_, name)| &***name).collect();
    let exit_names: BTreeSet<&str> = exits.iter().map(|(_, name)| &***name).collect();
    let mut ports = ModelPorts::default();
    let mut ids_of: BTreeMap<&str, Vec<BlockId>> = BTreeMap::new();
    for (block, name) in entries.iter().filter(|(block, _)| Role::of(block) != Some(Role::Index)) {
        let ids = ids_of.entry(name).or_default();
        if ids.is_empty() && !exit_names.contains(&***name) {
            ports.inputs.push((Arc::clone(name), Vec::new()));
        }
        ids.push(block.id);
    }
    for (name, ids) in &mut ports.inputs {
        ids.extend(ids_of.get(&**name).into_iter().flatten());
    }
    let mut seen = BTreeSet::new();
    for (block, name) in &exits {
        if entry_names.contains(&***name) {
            ports.pairs.push((block.id, ids_of.get(&***name).cloned().unwrap_or_default()));
        } else if Role::of(block).is_none() && seen.insert(&***name) {
            ports.outputs.push((Arc::clone(name), block.id));
        }
    }
    ports
}

fn ports_in_use(model: &Model, id: BlockId) -> BlockPorts {
    let connections = || model.connections.values();
    let inputs: BTreeSet<&Arc<str>> = connections().filter(|c| c.to == id).map(|c| &c.input).collect();
    let outputs: BTreeSet<&Arc<str>> = connections().filter(|c| c.from == id).map(|c| &c.output).collect();
    BlockPorts { inputs: inputs.into_iter().cloned().collect(), outputs: outputs.into_iter().cloned().collect() }
}

/// Returns the port of the same name, or else of the same index.
pub(super) fn counterpart(port: &Arc<str>, before: &[Arc<str>], after: &[Arc<str>]) -> Option<Arc<str>> {
    if after.contains(port) {
        return Some(Arc::clone(port));
    }
    let index = before.iter().position(|known| known == port)?;
    after.get(index).cloned()
}
