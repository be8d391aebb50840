//! Settles the conflicts of a merge: one side of each becomes the value, and the conflict is removed.

use std::sync::Arc;

use super::conflict::{CONFLICTS, Conflict, Holder, Property, conflicts, conflicts_in, conflicts_text};
use super::{BlockId, BlockKind, Change, Connection, Edit, EditError, Simulation, Variable};
use crate::block::Registry;

/// How a conflict is settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    Base,
    Ours,
    Theirs,
    /// Another value, which a user has typed.
    Value(String),
    /// The document stays as it is: a user has edited it.
    AsItIs,
}

/// Returns the edits that settle a conflict: its value is set, and the conflict is removed from its tag.
pub fn settle(simulation: &Simulation, holder: &Holder, conflict: &Conflict, settlement: &Settlement) -> Vec<Edit> {
    let mut rest = holder.attributes(simulation).map(conflicts_in).unwrap_or_default();
    rest.retain(|other| other != conflict);
    let rest: Option<Arc<str>> = conflicts_text(&rest).map(Arc::from);
    let remove = set_attribute(holder, CONFLICTS, rest.clone());
    let typed;
    let values = match settlement {
        Settlement::Base => &conflict.base,
        Settlement::Ours => &conflict.ours,
        Settlement::Theirs => &conflict.theirs,
        Settlement::Value(text) => {
            typed = Some(vec![text.clone()]);
            &typed
        }
        Settlement::AsItIs => return vec![remove],
    };
    // The name of the tag may change, so that the conflict is removed first.
    let set = set(simulation, holder, conflict, (values.as_deref(), rest.as_deref()));
    [remove].into_iter().chain(set).collect()
}

/// Returns the edits that settle all conflicts with the same side.
///
/// # Errors
/// That of the first conflict that cannot be settled so: a model that is still used would be deleted, or a loop closed.
pub fn settle_all(
    simulation: &Simulation,
    registry: &Registry,
    settlement: &Settlement,
) -> Result<Vec<Edit>, EditError> {
    let mut state = simulation.clone();
    let mut edits = Vec::new();
    // Models are deleted after their instances.
    let mut found = conflicts(simulation);
    found.sort_by_key(|(holder, _)| matches!(holder, Holder::Model(_)));
    for (holder, conflict) in found {
        // A tag may be gone with another.
        let is_left = holder.attributes(&state).is_some_and(|attributes| conflicts_in(attributes).contains(&conflict));
        if is_left {
            let further = settle(&state, &holder, &conflict, settlement);
            state = Change::new("", further.clone()).applied(&state, registry)?;
            edits.extend(further);
        }
    }
    Ok(edits)
}

/// Returns the edit that sets or removes an attribute of a tag.
fn set_attribute(holder: &Holder, name: &str, value: Option<Arc<str>>) -> Edit {
    let name: Arc<str> = name.into();
    match holder.clone() {
        Holder::Simulation => Edit::SetSimulationAttribute { name, value },
        Holder::Variable(model, variable) => {
            Edit::SetVariableAttribute { model, name: variable, attribute: name, value }
        }
        Holder::Model(model) => Edit::SetModelAttribute { model, name, value },
        Holder::Block(model, id) => Edit::SetBlockAttribute { model, id, name, value },
        Holder::Wire(model, key) => {
            Edit::SetConnectionAttribute { model, to: key.block, input: key.input, name, value }
        }
    }
}

/// Returns the edit that gives a property its value; `rest` are the conflicts that the tag keeps.
fn set(
    simulation: &Simulation,
    holder: &Holder,
    conflict: &Conflict,
    (values, rest): (Option<&[String]>, Option<&str>),
) -> Option<Edit> {
    let first: Option<Arc<str>> = values.and_then(|values| values.first()).map(|text| Arc::from(text.as_str()));
    match (&conflict.property, holder) {
        (Property::Presence, holder) if values.is_none() => Some(delete(holder)),
        (Property::Presence | Property::Check(_) | Property::Other(_), _) => None,
        (Property::Steps, _) => Some(Edit::SetSteps(first?.trim().parse().ok()?)),
        (Property::Delta, _) => Some(Edit::SetDelta(first?.trim().parse().ok()?)),
        (Property::Root, _) => Some(Edit::SetRoot(first?)),
        (Property::Name, Holder::Model(from)) => Some(Edit::RenameModel { from: Arc::clone(from), to: first? }),
        (Property::Value, Holder::Variable(model, name)) => {
            let variables = match model {
                Some(model) => &simulation.model(model)?.variables,
                None => &simulation.variables,
            };
            let mut variable = Variable::clone(variables.get(name)?);
            variable.attributes.put(CONFLICTS, rest);
            let variable = first.map(|value| Variable { value, ..variable });
            Some(Edit::SetVariable { model: model.clone(), name: Arc::clone(name), variable })
        }
        (Property::Attribute(name), holder) => Some(set_attribute(holder, name, first)),
        (Property::Option(name), Holder::Block(model, id)) => Some(Edit::SetOption {
            model: Arc::clone(model),
            id: *id,
            name: name.as_str().into(),
            values: values.map(<[String]>::to_vec),
        }),
        (Property::Data(name), holder) => Some(set_attribute(holder, name, first)),
        (Property::Kind, Holder::Block(model, id)) => set_kind(simulation, (model, *id), values?, rest),
        (Property::Source, Holder::Wire(model, key)) => match values {
            None => Some(Edit::Disconnect { model: Arc::clone(model), to: key.block, input: Arc::clone(&key.input) }),
            Some([id, output]) => {
                let wire = simulation.model(model)?.source(key.block, &key.input)?;
                let mut wire = Connection::clone(wire);
                (wire.from, wire.output) = (BlockId::parse(id)?, output.as_str().into());
                wire.attributes.put(CONFLICTS, rest);
                Some(Edit::Connect { model: Arc::clone(model), connection: Box::new(wire) })
            }
            Some(_) => None,
        },
        _ => None,
    }
}

fn delete(holder: &Holder) -> Edit {
    match holder.clone() {
        Holder::Variable(model, name) => Edit::SetVariable { model, name, variable: None },
        Holder::Model(name) => Edit::RemoveModel { name },
        Holder::Block(model, id) => Edit::RemoveBlocks { model, ids: vec![id] },
        Holder::Wire(model, key) => Edit::Disconnect { model, to: key.block, input: key.input },
        // No side can delete the simulation.
        Holder::Simulation => Edit::SetSimulationAttribute { name: CONFLICTS.into(), value: None },
    }
}

fn set_kind(
    simulation: &Simulation,
    (model, id): (&Arc<str>, BlockId),
    values: &[String],
    rest: Option<&str>,
) -> Option<Edit> {
    let block = simulation.model(model)?.block(id)?;
    let kind = kind_of(values)?;
    match (&block.kind, &kind) {
        (BlockKind::Entry { .. }, BlockKind::Entry { name }) | (BlockKind::Exit { .. }, BlockKind::Exit { name }) => {
            Some(Edit::RenamePort { model: Arc::clone(model), id, name: Arc::clone(name) })
        }
        _ => {
            let mut block = super::Block::clone(block);
            block.kind = kind;
            block.attributes.put(CONFLICTS, rest);
            Some(Edit::ReplaceBlock { model: Arc::clone(model), block: Box::new(block) })
        }
    }
}

/// Returns the kind of a block as the values of a conflict.
pub fn kind_values(kind: &BlockKind) -> Vec<String> {
    let values: &[&str] = match kind {
        BlockKind::Entry { name } => &["entry", name],
        BlockKind::Exit { name } => &["exit", name],
        BlockKind::Model { model } => &["model", model],
        BlockKind::Library { group, name } => &["block", group, name],
    };
    values.iter().map(|text| (*text).to_owned()).collect()
}

fn kind_of(values: &[String]) -> Option<BlockKind> {
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    Some(match texts[..] {
        ["entry", name] => BlockKind::entry(name),
        ["exit", name] => BlockKind::exit(name),
        ["model", model] => BlockKind::model(model),
        ["block", group, name] => BlockKind::library(group, name),
        _ => return None,
    })
}
