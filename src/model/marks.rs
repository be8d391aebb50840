//! The signals that a run records by default: exits, inputs of scopes and displays, named signals, and blocks that show
//! their curve.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::{
    Block, BlockAddress, BlockId, BlockKind, BlockPorts, Connection, Model, SignalKey, Simulation, block_ports,
};
use crate::block::{Face, Ports, Registry};

/// The block attribute for showing the signal's curve on the block: `1` or `0`.
pub const PROBED: &str = "view:curve";

/// At most this many signals are recorded by default.
const MAX_SIGNALS: usize = 1000;

/// Returns the signals to record by default: the root's exits first, then from the root down in file order.
pub fn marked_signals(simulation: &Simulation, registry: &Registry) -> Vec<SignalKey> {
    let Some(root) = simulation.root_model() else { return Vec::new() };
    let mut exits: Vec<&Arc<Block>> = root.exits().map(|(block, _)| block).collect();
    exits.sort_by_key(|block| block.seq);
    let mut found: Vec<SignalKey> =
        exits.into_iter().map(|exit| SignalKey::new(&[], exit.id, BlockPorts::INPUT)).collect();
    // Only models that contain marked signals, at any depth, are entered.
    let with_marks = |model: &&Arc<Model>| !marks_in(simulation, registry, model).is_empty();
    let mut marked: HashSet<&str> = simulation.models.values().filter(with_marks).map(|model| &*model.name).collect();
    let mut pending: Vec<&str> = marked.iter().copied().collect();
    while let Some(name) = pending.pop() {
        pending
            .extend(simulation.instances_of(name).map(|(outer, _)| &*outer.name).filter(|outer| marked.insert(outer)));
    }
    let mut levels: Vec<(Vec<BlockId>, &Arc<Model>)> = vec![(Vec::new(), root)];
    while let Some((path, model)) = levels.pop() {
        found.extend(
            marks_in(simulation, registry, model).into_iter().map(|key| SignalKey { path: path.clone(), ..key }),
        );
        if found.len() > MAX_SIGNALS {
            found.truncate(MAX_SIGNALS);
            break;
        }
        let mut uses: Vec<(&Arc<Block>, &Arc<Model>)> = model
            .blocks
            .values()
            .filter_map(|block| match &block.kind {
                BlockKind::Model { model } if marked.contains(&**model) => Some((block, simulation.model(model)?)),
                _ => None,
            })
            .collect();
        uses.sort_by_key(|(block, _)| std::cmp::Reverse(block.seq));
        levels.extend(uses.into_iter().map(|(block, inner)| ([&path[..], &[block.id]].concat(), inner)));
    }
    let mut seen = HashSet::new();
    found.retain(|key| seen.insert(key.clone()));
    found
}

/// Returns the marked signals of one model, with paths relative to it.
fn marks_in(simulation: &Simulation, registry: &Registry, model: &Model) -> Vec<SignalKey> {
    let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    let mut wires: Vec<&Arc<Connection>> = model.connections.values().collect();
    wires.sort_by_key(|wire| wire.seq);
    let mut found = Vec::new();
    for block in blocks {
        if shows_inputs(registry, block) {
            let into = wires.iter().filter(|wire| wire.to == block.id);
            found.extend(into.map(|wire| SignalKey::new(&[], wire.from, &wire.output)));
        } else if block.attributes.get(PROBED) == Some("1")
            && let Some(output) = block_ports(simulation, registry, model, block).outputs.first()
        {
            found.push(SignalKey::new(&[], block.id, output));
        }
    }
    let named = wires.iter().filter(|wire| wire.attributes.get(Connection::NAME).is_some_and(|name| !name.is_empty()));
    found.extend(named.map(|wire| SignalKey::new(&[], wire.from, &wire.output)));
    found
}

/// Whether the block displays its inputs, such as a scope.
fn shows_inputs(registry: &Registry, block: &Block) -> bool {
    let BlockKind::Library { group, name } = &block.kind else { return false };
    let Some(def) = registry.get(group, name) else { return false };
    matches!(def.outputs, Ports::Fixed([])) && matches!(def.look.face, Face::Curve(_) | Face::Live)
}

/// Returns display names of signals: the exit's name, the wire's name, or the block's title and port. A block id is
/// added only where two names would be equal.
pub fn names_of_signals(simulation: &Simulation, signals: &[SignalKey]) -> Vec<String> {
    let names: Vec<String> = signals.iter().map(|signal| name_of(simulation, signal)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    let named = names.iter().zip(signals).map(|(name, signal)| match counts.get(name.as_str()) {
        Some(1) => name.clone(),
        _ => signal.text(simulation),
    });
    named.collect()
}

/// Returns the name of the place of a signal, such as that at which a loop is opened: the wire's name or the block's title,
/// with an id only where the block has no name of its own.
pub fn place_of_signal(simulation: &Simulation, signal: &SignalKey) -> String {
    let name = name_of(simulation, signal);
    let name = name.strip_suffix(&format!(".{}", BlockPorts::OUTPUT)).unwrap_or(&name);
    let model = signal.model(simulation);
    let has_name = model.is_some_and(|model| {
        let block = model.block(signal.block);
        block.is_some_and(|block| block.attributes.get("label").is_some())
            || model.signal_name(signal.block, &signal.output).is_some()
    });
    if has_name { name.to_owned() } else { format!("{name} {}", signal.block) }
}

fn name_of(simulation: &Simulation, signal: &SignalKey) -> String {
    let Some(model) = signal.model(simulation) else { return signal.text(simulation) };
    let Some(block) = model.block(signal.block) else { return signal.text(simulation) };
    let own = match (model.signal_name(signal.block, &signal.output), &block.kind) {
        (_, BlockKind::Exit { name }) => name.to_string(),
        (Some(name), _) if !name.is_empty() => name.to_owned(),
        (_, BlockKind::Entry { name }) => name.to_string(),
        _ => format!("{}.{}", block.title(), signal.output),
    };
    match signal.path.split_last() {
        None => own,
        // The path is shown without the id of its last block.
        Some((last, around)) => format!("{}/{own}", path_text(simulation, around, *last)),
    }
}

/// Returns the titles of the model blocks on a path.
fn path_text(simulation: &Simulation, around: &[BlockId], last: BlockId) -> String {
    let mut text = String::new();
    let mut model = simulation.root_model();
    for (depth, id) in around.iter().chain([&last]).enumerate() {
        let Some(block) = model.and_then(|model| model.block(*id)) else {
            return BlockAddress::new(around, last).text(simulation);
        };
        text.push_str(if depth > 0 { "/" } else { "" });
        text.push_str(block.title());
        model = match &block.kind {
            BlockKind::Model { model } => simulation.model(model),
            _ => None,
        };
    }
    text
}
