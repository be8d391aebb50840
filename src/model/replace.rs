//! Replaces a block by one of another kind and keeps the properties that both kinds have.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ports::counterpart;
use super::{
    Block, BlockId, BlockKind, BodyItem, Connection, Edit, InputKey, Model, Scope, Simulation, Variant, block_ports,
    settings_of,
};
use crate::block::Registry;

/// Returns the edits that change the kind of a block. Position, title and other attributes stay, as do parameters of
/// the same name with values that the new kind accepts. Wires are moved to the port of the same name, or else of the
/// same index.
pub fn replace_block(
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
    id: BlockId,
    kind: BlockKind,
) -> Vec<Edit> {
    let Some(old) = model.block(id) else { return Vec::new() };
    let mut new = Block { kind, ..Block::clone(old) };
    // The new kind is chosen by the user, and no longer by a condition.
    new.attributes.remove(Variant::ATTRIBUTE);
    keep_options(simulation, registry, model, &mut new);
    let before = block_ports(simulation, registry, model, old);
    let after = block_ports(simulation, registry, model, &new);
    let mut edits = vec![Edit::ReplaceBlock { model: Arc::clone(&model.name), block: Box::new(new) }];
    let mut wires: Vec<&Arc<Connection>> =
        model.connections.values().filter(|wire| wire.from == id || wire.to == id).collect();
    wires.sort_by_key(|wire| wire.seq);
    let mut taken: BTreeSet<InputKey> =
        wires.iter().filter(|wire| wire.to != id || after.has_input(&wire.input)).map(|wire| wire.key()).collect();
    let mut made = Vec::new();
    for wire in wires {
        let is_unchanged =
            (wire.to != id || after.has_input(&wire.input)) && (wire.from != id || after.has_output(&wire.output));
        if is_unchanged {
            continue;
        }
        edits.push(Edit::Disconnect { model: Arc::clone(&model.name), to: wire.to, input: Arc::clone(&wire.input) });
        let mut moved = Connection::clone(wire);
        if wire.from == id {
            let Some(output) = counterpart(&wire.output, &before.outputs, &after.outputs) else { continue };
            moved.output = output;
        }
        if wire.to == id && !after.has_input(&wire.input) {
            let Some(input) = counterpart(&wire.input, &before.inputs, &after.inputs) else { continue };
            moved.input = input;
            if !taken.insert(moved.key()) {
                continue;
            }
        }
        made.push(Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(moved) });
    }
    edits.extend(made);
    edits
}

/// Removes the options that the kind does not have or whose values it does not accept.
fn keep_options(simulation: &Simulation, registry: &Registry, model: &Model, block: &mut Block) {
    let def = super::definition_of(registry, block);
    let is_known = |name: &str| match (&block.kind, def) {
        (BlockKind::Library { .. }, Some(def)) => def.param(name).is_some(),
        (BlockKind::Model { model }, _) => {
            simulation.model(model).is_some_and(|inner| inner.variables.contains_key(name))
        }
        (BlockKind::Entry { .. } | BlockKind::Exit { .. }, _) => name == Block::INITIAL_VALUE,
        _ => true,
    };
    let gone: Vec<Arc<str>> =
        block.options().map(|option| Arc::clone(&option.name)).filter(|name| !is_known(name)).collect();
    block.body.retain(|item| !matches!(item, BodyItem::Option(option) if gone.contains(&option.name)));
    if let Some(def) = def {
        for error in settings_of(def, block, &Scope::of_model(simulation, model)).1 {
            block.set_option::<&str>(error.param, None);
        }
    }
}
