//! Renames an entry or exit: the wires at the instances of its model follow, and so do the addresses of signals.

use std::sync::Arc;

use super::edit::{EditError, block_mut, known_model, model_mut};
use super::{BlockId, BlockKind, Connection, Model, Relocation, SignalKey, Simulation};

/// Returns the relocations of a renamed exit: the outputs of the instances of its model have another name.
pub(super) fn relocations(simulation: &Simulation, model: &Model, id: BlockId, to: &str) -> Vec<Relocation> {
    let Some(BlockKind::Exit { name: from }) = model.block(id).map(|block| &block.kind) else { return Vec::new() };
    if **from == *to {
        return Vec::new();
    }
    let of_instance = |(user, instance): (&Arc<Model>, BlockId)| Relocation {
        signals: vec![(SignalKey::new(&[], instance, from), SignalKey::new(&[], instance, to))],
        ..Relocation::new(&user.name)
    };
    simulation.instances_of(&model.name).map(of_instance).collect()
}

fn instances_of(simulation: &Simulation, name: &str) -> Vec<(Arc<str>, BlockId)> {
    simulation.instances_of(name).map(|(model, id)| (Arc::clone(&model.name), id)).collect()
}

pub(super) fn rename_port(
    simulation: &mut Simulation,
    model: &Arc<str>,
    id: BlockId,
    to: &Arc<str>,
) -> Result<(), EditError> {
    if to.is_empty() {
        return Err(EditError::NoName);
    }
    let known = known_model(simulation, model)?;
    let block = known.block(id).ok_or_else(|| EditError::UnknownBlock(Arc::clone(model), id))?;
    let (from, is_entry) = match &block.kind {
        BlockKind::Entry { name } => (Arc::clone(name), true),
        BlockKind::Exit { name } => {
            if name != to && known.exits().any(|(_, known)| known == to) {
                return Err(EditError::NameTaken(Arc::clone(to)));
            }
            (Arc::clone(name), false)
        }
        _ => return Err(EditError::UnknownBlock(Arc::clone(model), id)),
    };
    if from == *to {
        return Ok(());
    }
    // If another entry has the old name, the port of the instances stays.
    let keeps_port = is_entry && known.entries().any(|(block, name)| block.id != id && *name == from);
    let kind = &mut block_mut(simulation, model, id)?.kind;
    *kind = if is_entry { BlockKind::Entry { name: Arc::clone(to) } } else { BlockKind::Exit { name: Arc::clone(to) } };
    if keeps_port {
        return Ok(());
    }
    for (user, use_id) in instances_of(simulation, model) {
        let user = model_mut(simulation, &user)?;
        let is_touched = |c: &Connection| match is_entry {
            true => c.to == use_id && c.input == from,
            false => c.from == use_id && c.output == from,
        };
        let keys: Vec<_> = user.connections.values().filter(|c| is_touched(c)).map(|c| c.key()).collect();
        for key in keys {
            let Some(mut connection) = user.connections.remove(&key) else { continue };
            let changed = Arc::make_mut(&mut connection);
            match is_entry {
                true => changed.input = Arc::clone(to),
                false => changed.output = Arc::clone(to),
            }
            user.connections.insert(connection.key(), connection);
        }
    }
    Ok(())
}
