//! Displayed names of signals, and the signals plotted by default.

use std::sync::Arc;

use super::Derivative;
use crate::block::{Ports, Registry};
use crate::model::{Block, BlockId, BlockKind, BlockPorts, InputKey, Model, SignalKey, Simulation, block_ports};

/// Maximum number of signals plotted by default.
const MAX_SIGNALS: usize = 8;

/// Returns whether a block shows its inputs and has no outputs.
pub fn is_sink(registry: &Registry, model: &Model, id: BlockId) -> bool {
    let Some(BlockKind::Library { group, name }) = model.block(id).map(|block| &block.kind) else { return false };
    let Some(def) = registry.get(group, name) else { return false };
    matches!(def.outputs, Ports::Fixed([])) && !matches!(def.inputs, Ports::Fixed([]))
}

/// Returns the signals at the inputs of a block.
pub fn inputs_of(
    simulation: &Simulation,
    registry: &Registry,
    path: &[BlockId],
    model: &Model,
    id: BlockId,
) -> Vec<SignalKey> {
    let Some(block) = model.block(id) else { return Vec::new() };
    let ports = block_ports(simulation, registry, model, block);
    let source = |input: &Arc<str>| model.connections.get(&InputKey { block: id, input: Arc::clone(input) });
    let sources = ports.inputs.iter().filter_map(source);
    sources.map(|connection| SignalKey::new(path, connection.from, &connection.output)).collect()
}

/// Returns the root's exits and the inputs of its sinks, in the order of the file.
pub fn worth_seeing(simulation: &Simulation, registry: &Registry) -> Vec<SignalKey> {
    let Some(root) = simulation.root_model() else { return Vec::new() };
    let mut found: Vec<SignalKey> = Vec::new();
    let mut sinks: Vec<_> = root.blocks.values().filter(|block| is_sink(registry, root, block.id)).collect();
    sinks.sort_by_key(|block| block.seq);
    for sink in sinks.into_iter().take(MAX_SIGNALS) {
        found.extend(inputs_of(simulation, registry, &[], root, sink.id));
    }
    let mut exits: Vec<_> = root.exits().map(|(block, _)| block).collect();
    exits.sort_by_key(|block| block.seq);
    for exit in exits {
        let source = root.source(exit.id, BlockPorts::INPUT);
        let is_shown = source.is_some_and(|source| {
            found.iter().any(|signal| signal.block == source.from && signal.output == source.output)
        });
        if !is_shown {
            found.push(SignalKey::new(&[], exit.id, BlockPorts::INPUT));
        }
    }
    found.truncate(MAX_SIGNALS);
    found
}

/// Returns the displayed name of a signal.
pub type SignalNames<'a> = &'a dyn Fn(&SignalKey) -> String;

/// Maximum number of listed signals.
const MAX_LISTED: usize = 100_000;

/// Returns the outputs of all blocks under the root with their names, in file order, and the root's exits.
pub fn all_signals(simulation: &Simulation, registry: &Registry, names: SignalNames) -> Vec<(SignalKey, String)> {
    let mut list = SignalList { simulation, registry, names, path: Vec::new(), found: Vec::new() };
    if let Some(root) = simulation.root_model() {
        list.add(root);
    }
    list.found
}

/// The signals found so far, and the path to the model in which more are found.
struct SignalList<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    names: SignalNames<'a>,
    path: Vec<BlockId>,
    found: Vec<(SignalKey, String)>,
}

impl SignalList<'_> {
    fn add(&mut self, model: &Model) {
        let mut blocks: Vec<_> = model.blocks.values().collect();
        blocks.sort_by_key(|block| block.seq);
        for block in blocks {
            if self.found.len() >= MAX_LISTED {
                return;
            }
            let ports = block_ports(self.simulation, self.registry, model, block);
            let is_exit = matches!(block.kind, BlockKind::Exit { .. });
            let outputs = if is_exit && self.path.is_empty() { ports.inputs } else { ports.outputs };
            for output in &outputs {
                let signal = SignalKey::new(&self.path, block.id, output);
                let name = (self.names)(&signal);
                self.found.push((signal, name));
            }
            if let BlockKind::Model { model } = &block.kind
                && let Some(inner) = self.simulation.model(model)
                && self.path.len() < 32
            {
                self.path.push(block.id);
                self.add(inner);
                self.path.pop();
            }
        }
    }
}

/// Returns the displayed name of a signal: its own name, otherwise the title of its block and the port. An id is shown
/// only where another block of the same model has the same title. Code that runs in each frame calls
/// [`Derived::name_of`](crate::app::doc::derived::Derived::name_of), which does not search all blocks.
pub fn name_of(simulation: &Simulation, signal: &SignalKey) -> String {
    let title = |model: &Model, block: &Block| {
        let has_twin = model.blocks.values().any(|other| other.id != block.id && other.title() == block.title());
        if has_twin { format!("{} {}", block.title(), block.id) } else { block.title().to_owned() }
    };
    name_with(simulation, signal, &title)
}

/// Returns the displayed name of a signal, with the titles of blocks that a function returns.
pub fn name_with(simulation: &Simulation, signal: &SignalKey, title: &dyn Fn(&Model, &Block) -> String) -> String {
    if let Some(derivative) = Derivative::of_signal(signal) {
        return derivative.name(simulation, &name_with(simulation, &derivative.of, title));
    }
    let mut name = String::new();
    let mut here = simulation.root_model();
    for id in &signal.path {
        let Some((model, outer)) = here.and_then(|model| Some((model, model.block(*id)?))) else {
            return signal.to_string();
        };
        name.push_str(&title(model, outer));
        name.push('/');
        here = match &outer.kind {
            BlockKind::Model { model } => simulation.model(model),
            _ => None,
        };
    }
    let Some((model, block)) = here.and_then(|model| Some((model, model.block(signal.block)?))) else {
        return signal.to_string();
    };
    if let Some(own) = model.signal_name(signal.block, &signal.output) {
        return name + own;
    }
    name.push_str(&title(model, block));
    let is_plain = &*signal.output == BlockPorts::OUTPUT || &*signal.output == BlockPorts::INPUT;
    if !is_plain {
        name.push_str(&format!(".{}", signal.output));
    }
    name
}
