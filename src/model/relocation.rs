//! How addresses follow the blocks and signals that a change moves or renames.
//!
//! A change states what it moves as [`Relocation`]s, by addresses relative to a model, since a model has as many places
//! as it has instances. [`AddressMap`] applies them to whole addresses; it is the only place where an old address
//! becomes a new one, for the attributes of the document as for recorded curves and open panels.

use std::sync::Arc;

use super::{
    BlockAddress, BlockId, BlockKind, ParamAddress, SignalKey, Simulation, block_ports, definition_of, model_at,
};
use crate::block::Registry;

/// The blocks, signals and parameters that a change moves; all addresses begin in a model, not at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Relocation {
    /// The model in which the addresses begin.
    pub model: Arc<str>,
    /// Blocks with all that they contain: the old and the new address.
    pub blocks: Vec<(BlockAddress, BlockAddress)>,
    /// Signals that another signal replaces, or whose output is renamed. Several may become one.
    pub signals: Vec<(SignalKey, SignalKey)>,
    pub params: Vec<(ParamAddress, ParamAddress)>,
}

impl Relocation {
    pub fn new(model: &Arc<str>) -> Relocation {
        Relocation { model: Arc::clone(model), blocks: Vec::new(), signals: Vec::new(), params: Vec::new() }
    }

    /// Whether it moves nothing.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.signals.is_empty() && self.params.is_empty()
    }

    /// Returns the relocation of an undone change.
    fn reversed(&self) -> Relocation {
        fn swapped<T: Clone>(pairs: &[(T, T)]) -> Vec<(T, T)> {
            pairs.iter().map(|(old, new)| (new.clone(), old.clone())).collect()
        }
        Relocation {
            model: Arc::clone(&self.model),
            blocks: swapped(&self.blocks),
            signals: swapped(&self.signals),
            params: swapped(&self.params),
        }
    }

    /// Returns where the block at the end of `ids`, which begin in the model, is now.
    fn moved(&self, ids: &[BlockId]) -> Option<Vec<BlockId>> {
        let is_prefix = |old: &BlockAddress| {
            let (inner, path) = (ids.get(old.path.len()), ids.get(..old.path.len()));
            path == Some(&*old.path) && inner == Some(&old.block)
        };
        let (old, new) = self.blocks.iter().find(|(old, _)| is_prefix(old))?;
        let rest = ids.get(old.path.len() + 1..).unwrap_or_default();
        Some(new.path.iter().chain([&new.block]).chain(rest).copied().collect())
    }
}

/// Returns the relocations of an undone change.
pub(super) fn reversed(relocations: &[Relocation]) -> Vec<Relocation> {
    relocations.iter().rev().map(Relocation::reversed).collect()
}

/// The addresses of one state of a document in the next.
#[derive(Clone, Copy, Debug)]
pub struct AddressMap<'a> {
    pub before: &'a Simulation,
    pub after: &'a Simulation,
    pub registry: &'a Registry,
    pub relocations: &'a [Relocation],
}

impl AddressMap<'_> {
    /// Returns where a block is now; the same address where nothing has moved it.
    pub fn block(&self, block: &BlockAddress) -> BlockAddress {
        let ids = self.relocations.iter().fold(ids_of(&block.path, block.block), |ids, relocation| {
            self.begins(relocation, &ids).and_then(|depth| moved_at(relocation, &ids, depth)).unwrap_or(ids)
        });
        address_of(&ids, block)
    }

    /// Returns the signal that an address leads to now; the same address where nothing has moved it.
    pub fn signal(&self, signal: &SignalKey) -> SignalKey {
        self.signals(signal).into_iter().next().unwrap_or_else(|| signal.clone())
    }

    /// Returns all addresses that lead now to a signal: there are several where a change that made one signal of them is
    /// undone. There is at least one.
    pub fn signals(&self, signal: &SignalKey) -> Vec<SignalKey> {
        let mut all = vec![signal.clone()];
        for relocation in self.relocations {
            all = all.iter().flat_map(|signal| self.signals_by(relocation, signal)).collect();
        }
        let mut found: Vec<SignalKey> = Vec::new();
        for signal in &all {
            if !found.contains(signal) && signal_exists(self.after, self.registry, signal) {
                found.push(signal.clone());
            }
        }
        if found.is_empty() { all.into_iter().take(1).collect() } else { found }
    }

    fn signals_by(&self, relocation: &Relocation, signal: &SignalKey) -> Vec<SignalKey> {
        let ids = ids_of(&signal.path, signal.block);
        let Some(depth) = self.begins(relocation, &ids) else { return vec![signal.clone()] };
        let own = moved_at(relocation, &ids, depth).unwrap_or_else(|| ids.clone());
        let own = address_of(&own, &BlockAddress::new(&signal.path, signal.block));
        let mut all = vec![SignalKey { path: own.path, block: own.block, output: Arc::clone(&signal.output) }];
        let outer = ids.get(..depth).unwrap_or_default();
        let within = signal.path.get(depth..).unwrap_or_default();
        let is_it = |old: &SignalKey| old.path == within && (old.block, &old.output) == (signal.block, &signal.output);
        let others = relocation.signals.iter().filter(|(old, _)| is_it(old));
        all.extend(others.map(|(_, new)| SignalKey { path: [outer, &new.path].concat(), ..new.clone() }));
        all
    }

    /// Returns where a parameter is now; the same address where nothing has moved it.
    pub fn param(&self, param: &ParamAddress) -> ParamAddress {
        let mut now = param.clone();
        for relocation in self.relocations {
            let ids = ids_of(&now.block.path, now.block.block);
            let Some(depth) = self.begins(relocation, &ids) else { continue };
            let (outer, within) = now.block.path.split_at(depth);
            let is_it = |old: &ParamAddress| {
                old.block.path == within && (old.block.block, &old.name) == (now.block.block, &now.name)
            };
            now = match relocation.params.iter().find(|(old, _)| is_it(old)) {
                Some((_, new)) => {
                    let block = BlockAddress { path: [outer, &new.block.path].concat(), block: new.block.block };
                    ParamAddress { block, name: new.name.clone() }
                }
                None => match moved_at(relocation, &ids, depth) {
                    Some(ids) => ParamAddress { block: address_of(&ids, &now.block), name: now.name },
                    None => now,
                },
            };
        }
        now
    }

    /// Returns the text of a parameter's address, as a user writes it, where it must change to lead to the same
    /// parameter.
    pub fn param_text(&self, text: &str) -> Option<String> {
        let read = |simulation: &Simulation| {
            let (block, name) = BlockAddress::parse_with_rest(text, simulation).ok()?;
            Some(ParamAddress { block, name: name? })
        };
        let now = self.param(&read(self.before)?);
        (read(self.after).as_ref() != Some(&now)).then(|| now.text(self.after))
    }

    /// Returns the depth at which the ids enter the model of a relocation.
    fn begins(&self, relocation: &Relocation, ids: &[BlockId]) -> Option<usize> {
        let enters = |simulation: &Simulation, depth: &usize| {
            let path = ids.get(..*depth).unwrap_or_default();
            model_at(simulation, path).is_some_and(|model| model.name == relocation.model)
        };
        (0..ids.len()).find(|depth| enters(self.before, depth) || enters(self.after, depth))
    }
}

fn ids_of(path: &[BlockId], block: BlockId) -> Vec<BlockId> {
    path.iter().copied().chain([block]).collect()
}

fn moved_at(relocation: &Relocation, ids: &[BlockId], depth: usize) -> Option<Vec<BlockId>> {
    let (outer, within) = ids.split_at_checked(depth)?;
    Some([outer, &relocation.moved(within)?].concat())
}

fn address_of(ids: &[BlockId], otherwise: &BlockAddress) -> BlockAddress {
    match ids.split_last() {
        Some((block, path)) => BlockAddress::new(path, *block),
        None => otherwise.clone(),
    }
}

/// Whether a simulation has a signal.
pub(super) fn signal_exists(simulation: &Simulation, registry: &Registry, signal: &SignalKey) -> bool {
    let Some(model) = model_at(simulation, &signal.path) else { return false };
    let Some(block) = model.block(signal.block) else { return false };
    let ports = block_ports(simulation, registry, model, block);
    let outputs = if matches!(block.kind, BlockKind::Exit { .. }) { ports.inputs } else { ports.outputs };
    outputs.contains(&signal.output)
}

/// Whether a simulation has a block with this parameter. A block of an unknown kind may have any.
pub(super) fn param_exists(simulation: &Simulation, registry: &Registry, param: &ParamAddress) -> bool {
    let Some(block) = param.block.find(simulation) else { return false };
    let is_known = match &block.kind {
        BlockKind::Library { .. } => definition_of(registry, block).is_none_or(|def| def.param(&param.name).is_some()),
        BlockKind::Model { model } => {
            simulation.model(model).is_none_or(|inner| inner.variables.contains_key(&*param.name))
        }
        BlockKind::Entry { .. } | BlockKind::Exit { .. } => true,
    };
    is_known || block.option(&param.name).is_some()
}
