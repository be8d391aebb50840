//! A model of another simulation taken into this one, with all that it uses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Block, BlockKind, Edit, Extra, Model, Simulation, Variable, nesting};
use crate::block::expression::{Expression, Formula};

/// The edits that bring a model and all models that it uses into a simulation, and its name there.
///
/// A model that is there already as it is (but for where blocks stand) is used, not brought again; another of the same
/// name stays, and what is brought has a number behind its name. Variables of the other simulation that a model uses
/// become its own. None where the other simulation has no such model, or it is nested in itself.
pub fn take_model(from: &Simulation, name: &str, into: &Simulation) -> Option<(Vec<Edit>, Arc<str>)> {
    let order = used(from, name)?;
    let mut result = into.clone();
    let mut names: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    let mut edits = Vec::new();
    for name in order {
        let mut copy = Model::clone(from.model(&name)?);
        own_variables(from, &mut copy);
        follow_names(&mut copy, &names);
        let known = result.models.values().find(|known| is_copy_name(&known.name, &name) && is_same(known, &copy));
        let new_name: Arc<str> = match known {
            Some(known) => Arc::clone(&known.name),
            None => {
                copy.name = result.free_model_name(&name).into();
                let name = Arc::clone(&copy.name);
                result.add_model(copy.clone());
                edits.push(Edit::InsertModel { model: Box::new(copy) });
                name
            }
        };
        names.insert(name, new_name);
    }
    Some((edits, names.remove(name)?))
}

/// A simulation of a model and all that it uses, with the model as its root. None where there is no such model, or it
/// is nested in itself.
pub fn model_alone(from: &Simulation, name: &str) -> Option<Simulation> {
    let mut alone = Simulation::default();
    (alone.steps, alone.delta) = (from.steps, from.delta);
    let (edits, name) = take_model(from, name, &alone)?;
    alone.root = name;
    for edit in edits {
        if let Edit::InsertModel { model } = edit {
            alone.add_model(*model);
        }
    }
    Some(alone)
}

/// The model and all that it uses, each behind what it uses.
fn used(simulation: &Simulation, name: &str) -> Option<Vec<Arc<str>>> {
    let nesting = nesting(simulation);
    let mut wanted: BTreeSet<Arc<str>> = BTreeSet::from([Arc::clone(&simulation.model(name)?.name)]);
    for name in nesting.order.iter().rev() {
        if !wanted.contains(name) {
            continue;
        }
        for block in simulation.model(name)?.blocks.values() {
            if let BlockKind::Model { model } = &block.kind
                && simulation.model(model).is_some()
            {
                wanted.insert(Arc::clone(model));
            }
        }
    }
    let is_in_ring = nesting.rings.iter().flatten().any(|(model, _)| wanted.contains(model));
    (!is_in_ring).then(|| nesting.order.into_iter().filter(|name| wanted.contains(name)).collect())
}

/// Gives a model those variables of its simulation that it uses.
fn own_variables(simulation: &Simulation, model: &mut Model) {
    let mut ahead: Vec<String> = Vec::new();
    let mut note = |text: &str| ahead.extend(names_in(text));
    for block in model.blocks.values() {
        block.options().flat_map(|option| option.texts()).for_each(&mut note);
    }
    model.variables.values().for_each(|variable| note(&variable.value));
    while let Some(name) = ahead.pop() {
        let Some(variable) = simulation.variables.get(&*name) else { continue };
        if !model.variables.contains_key(&*name) {
            ahead.extend(names_in(&variable.value));
            model.set_variable(&name, Variable::clone(variable));
        }
    }
}

/// Names in a text, if it is an expression or a formula; else none.
fn names_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let expression = Expression::parse(text).or_else(|_| Expression::parse(&format!("[{text}]")));
    match (expression, Formula::parse(text)) {
        (Ok(expression), _) => expression.each_name(&mut |name, _| names.push(name.to_owned())),
        (Err(_), Ok(formula)) => names.extend(formula.free_names().into_iter().map(|(name, _)| name.to_owned())),
        (Err(_), Err(_)) => {}
    }
    names
}

fn follow_names(model: &mut Model, names: &BTreeMap<Arc<str>, Arc<str>>) {
    let renamed = model.blocks.values().filter_map(|block| match &block.kind {
        BlockKind::Model { model } => Some((block.id, Arc::clone(names.get(model)?))),
        _ => None,
    });
    for (id, name) in renamed.collect::<Vec<_>>() {
        if let Some(block) = model.block_mut(id) {
            block.kind = BlockKind::Model { model: name };
        }
    }
}

/// Whether it is the name, or that with a number behind it.
fn is_copy_name(known: &str, name: &str) -> bool {
    let number = known.strip_prefix(name).map(|rest| rest.strip_prefix(' ').unwrap_or(rest));
    number.is_some_and(|number| number.chars().all(|digit| digit.is_ascii_digit()))
}

/// Whether two models say the same, wherever their blocks stand and whatever they are called.
fn is_same(a: &Model, b: &Model) -> bool {
    content(a) == content(b)
}

/// All that a model says, in the order of its file.
type Content<'a> = (Vec<(&'a str, &'a str)>, Vec<String>, Vec<String>, Vec<&'a Extra>);

fn content(model: &Model) -> Content<'_> {
    let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    let block = |block: &Arc<Block>| {
        let attributes: Vec<_> = seen(block.attributes.iter()).collect();
        format!("{:?} {:?} {attributes:?} {:?}", block.id, block.kind, block.body)
    };
    let blocks = blocks.into_iter().map(block);
    let wires = model.connections.values().map(|wire| {
        let attributes: Vec<_> = seen(wire.attributes.iter()).collect();
        format!("{:?} {} {:?} {} {attributes:?} {:?}", wire.from, wire.output, wire.to, wire.input, wire.body)
    });
    let variables = model
        .variables
        .iter()
        .map(|(name, variable)| format!("{name} {} {:?} {:?}", variable.value, variable.attributes, variable.body));
    let attributes = seen(model.attributes.iter()).collect();
    (attributes, blocks.chain(wires).collect(), variables.collect(), model.extras.values().collect())
}

/// Where things stand is nothing that a model says.
fn seen<'a>(attributes: impl Iterator<Item = (&'a str, &'a str)>) -> impl Iterator<Item = (&'a str, &'a str)> {
    attributes.filter(|(name, _)| !name.starts_with("view:"))
}
