//! Traces a signal to its sources or destinations, through all levels.
//!
//! The trace follows all inputs of a block upstream, or all wires of an output downstream, into model blocks and out of
//! them. Each output of a library block counts as dependent on each of its inputs. Tags are followed like wires.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{BlockAddress, BlockId, BlockKind, InputKey, Model, SignalKey, Simulation, link, model_at, model_ports};
use crate::block::Registry;
use crate::listed::listed;

/// The blocks and wires on a trace, each with its path of model blocks from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    pub blocks: BTreeSet<BlockAddress>,
    /// Wires by their inputs.
    pub wires: BTreeSet<(Vec<BlockId>, InputKey)>,
}

listed! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Direction {
        ToSource,
        ToDestination,
    }
}

/// Returns all sources or all destinations of a signal, including its block.
pub fn trace(simulation: &Simulation, registry: &Registry, signal: &SignalKey, direction: Direction) -> Trace {
    let linked = link(simulation, registry);
    let mut walk =
        Walk { simulation: &linked.simulation, trace: Trace::default(), seen: BTreeSet::new(), pending: Vec::new() };
    walk.pending.push(signal.clone());
    while let Some(next) = walk.pending.pop() {
        if !walk.seen.insert(next.clone()) {
            continue;
        }
        walk.trace.blocks.insert(BlockAddress::new(&next.path, next.block));
        match direction {
            Direction::ToSource => walk.up(&next),
            Direction::ToDestination => walk.down(&next),
        }
    }
    // Hidden entries and exits of tags are not in the diagram.
    let mut trace = walk.trace;
    trace.blocks.retain(|address| address.find(simulation).is_some());
    trace
        .wires
        .retain(|(path, key)| model_at(simulation, path).is_some_and(|model| model.connections.contains_key(key)));
    trace
}

struct Walk<'a> {
    simulation: &'a Simulation,
    trace: Trace,
    seen: BTreeSet<SignalKey>,
    /// Outputs to follow.
    pending: Vec<SignalKey>,
}

impl<'a> Walk<'a> {
    fn model(&self, path: &[BlockId]) -> Option<&'a Arc<Model>> {
        model_at(self.simulation, path)
    }

    /// Follows a signal upstream.
    fn up(&mut self, signal: &SignalKey) {
        let Some(model) = self.model(&signal.path) else { return };
        let Some(block) = model.block(signal.block) else { return };
        match &block.kind {
            BlockKind::Entry { name } => {
                // Continue at an exit of the same name, or else outside the model.
                let pair = model.exits().find(|(_, known)| *known == name).map(|(exit, _)| exit.id);
                match (pair, signal.path.split_last()) {
                    (Some(exit), _) => self.up_from_block(&signal.path, exit),
                    (None, Some((outer, rest))) => {
                        self.trace.blocks.insert(BlockAddress::new(rest, *outer));
                        self.up_from_input(rest, &InputKey { block: *outer, input: Arc::clone(name) });
                    }
                    (None, None) => {}
                }
            }
            BlockKind::Model { model: inner } => {
                let exit = self
                    .simulation
                    .model(inner)
                    .and_then(|inner| inner.exits().find(|(_, name)| **name == signal.output).map(|(exit, _)| exit.id));
                if let Some(exit) = exit {
                    let inside: Vec<BlockId> = signal.path.iter().copied().chain([signal.block]).collect();
                    self.up_from_block(&inside, exit);
                }
            }
            _ => self.up_from_block(&signal.path, signal.block),
        }
    }

    /// Follows all inputs of a block.
    fn up_from_block(&mut self, path: &[BlockId], block: BlockId) {
        self.trace.blocks.insert(BlockAddress::new(path, block));
        let Some(model) = self.model(path) else { return };
        for wire in model.sources(block) {
            self.up_from_input(path, &wire.key());
        }
    }

    fn up_from_input(&mut self, path: &[BlockId], key: &InputKey) {
        let Some(wire) = self.model(path).and_then(|model| model.connections.get(key)) else { return };
        self.trace.wires.insert((path.to_vec(), key.clone()));
        self.pending.push(SignalKey::new(path, wire.from, &wire.output));
    }

    /// Follows a signal downstream.
    fn down(&mut self, signal: &SignalKey) {
        let Some(model) = self.model(&signal.path) else { return };
        let wires = model.connections.values().filter(|w| w.from == signal.block && w.output == signal.output);
        for wire in wires {
            self.trace.wires.insert((signal.path.clone(), wire.key()));
            self.enter(&signal.path, model, wire.to, &wire.input);
        }
    }

    /// Continues after an input of a block.
    fn enter(&mut self, path: &[BlockId], model: &'a Model, id: BlockId, input: &Arc<str>) {
        self.trace.blocks.insert(BlockAddress::new(path, id));
        let Some(block) = model.block(id) else { return };
        match &block.kind {
            BlockKind::Exit { name } => {
                let entries: Vec<BlockId> =
                    model.entries().filter(|(_, known)| *known == name).map(|(entry, _)| entry.id).collect();
                match (entries.is_empty(), path.split_last()) {
                    (true, Some((outer, rest))) => self.pending.push(SignalKey::new(rest, *outer, name)),
                    _ => self
                        .pending
                        .extend(entries.iter().map(|id| SignalKey::new(path, *id, super::BlockPorts::OUTPUT))),
                }
            }
            BlockKind::Model { model: inner } => {
                let Some(inner) = self.simulation.model(inner) else { return };
                let inside: Vec<BlockId> = path.iter().copied().chain([id]).collect();
                let ports = model_ports(inner);
                let entries = ports.inputs.iter().filter(|(name, _)| name == input).flat_map(|(_, ids)| ids);
                self.pending.extend(entries.map(|entry| SignalKey::new(&inside, *entry, super::BlockPorts::OUTPUT)));
            }
            _ => {
                let outputs: BTreeSet<&Arc<str>> =
                    model.connections.values().filter(|wire| wire.from == id).map(|wire| &wire.output).collect();
                self.pending.extend(outputs.into_iter().map(|output| SignalKey::new(path, id, output)));
            }
        }
    }
}
