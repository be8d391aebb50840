//! Copies a model with its dependencies from another simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Block, BlockId, Edit, Extra, Model, Simulation, Variable, nesting};
use crate::block::expression::{Expression, Formula};

/// Returns the edits that copy a model and all models it uses into a simulation, and its name there.
///
/// An equal model (ignoring block positions) is reused; if another model has the same name, a number is appended to the
/// copy's name. Variables of the other simulation that a model uses become variables of the model. None if the other
/// simulation has no such model, or it contains itself.
pub fn copy_model(from: &Simulation, name: &str, into: &Simulation) -> Option<(Vec<Edit>, Arc<str>)> {
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

/// Returns a simulation with a model as its root and all models it uses. None if there is no such model, or it contains
/// itself.
pub fn model_alone(from: &Simulation, name: &str) -> Option<Simulation> {
    let mut alone = Simulation::default();
    (alone.steps, alone.delta) = (from.steps, from.delta);
    let (edits, name) = copy_model(from, name, &alone)?;
    alone.root = name;
    for edit in edits {
        if let Edit::InsertModel { model } = edit {
            alone.add_model(*model);
        }
    }
    Some(alone)
}

/// Returns the model and all models it uses, each after its dependencies.
fn used(simulation: &Simulation, name: &str) -> Option<Vec<Arc<str>>> {
    let nesting = nesting(simulation);
    let mut wanted: BTreeSet<Arc<str>> = BTreeSet::from([Arc::clone(&simulation.model(name)?.name)]);
    for name in nesting.order.iter().rev() {
        if !wanted.contains(name) {
            continue;
        }
        for block in simulation.model(name)?.blocks.values() {
            wanted.extend(block.models().into_iter().filter(|model| simulation.model(model).is_some()));
        }
    }
    let is_in_ring = nesting.rings.iter().flatten().any(|(model, _)| wanted.contains(model));
    (!is_in_ring).then(|| nesting.order.into_iter().filter(|name| wanted.contains(name)).collect())
}

/// Copies the variables of the simulation that a model uses into the model.
fn own_variables(simulation: &Simulation, model: &mut Model) {
    let mut pending: Vec<String> = Vec::new();
    let mut note = |text: &str| pending.extend(names_in(text));
    for block in model.blocks.values() {
        block.options().flat_map(|option| option.texts()).for_each(&mut note);
    }
    model.variables.values().for_each(|variable| note(&variable.value));
    while let Some(name) = pending.pop() {
        let Some(variable) = simulation.variables.get(&*name) else { continue };
        if !model.variables.contains_key(&*name) {
            pending.extend(names_in(&variable.value));
            model.set_variable(&name, Variable::clone(variable));
        }
    }
}

/// Returns the names in an expression or formula; none if the text is neither.
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
    let uses = |block: &Arc<Block>| block.models().iter().any(|model| names.contains_key(model));
    let users: Vec<BlockId> = model.blocks.values().filter(|block| uses(block)).map(|block| block.id).collect();
    for id in users {
        if let Some(block) = model.block_mut(id) {
            block.rename_models(|model| names.get(model).cloned());
        }
    }
}

/// Whether `known` is `name`, optionally with a number appended.
fn is_copy_name(known: &str, name: &str) -> bool {
    let number = known.strip_prefix(name).map(|rest| rest.strip_prefix(' ').unwrap_or(rest));
    number.is_some_and(|number| number.chars().all(|digit| digit.is_ascii_digit()))
}

/// Whether two models are equal apart from their names and block positions.
fn is_same(a: &Model, b: &Model) -> bool {
    content(a) == content(b)
}

/// The content of a model that is compared, in file order.
type Content<'a> = (Vec<(&'a str, &'a str)>, Vec<String>, Vec<String>, Vec<&'a Extra>);

fn content(model: &Model) -> Content<'_> {
    let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
    blocks.sort_by_key(|block| block.seq);
    let block = |block: &Arc<Block>| {
        let attributes: Vec<_> = without_view(block.attributes.iter()).collect();
        format!("{:?} {:?} {attributes:?} {:?}", block.id, block.kind, block.body)
    };
    let blocks = blocks.into_iter().map(block);
    let wires = model.connections.values().map(|wire| {
        let attributes: Vec<_> = without_view(wire.attributes.iter()).collect();
        format!("{:?} {} {:?} {} {attributes:?} {:?}", wire.from, wire.output, wire.to, wire.input, wire.body)
    });
    let variables = model
        .variables
        .iter()
        .map(|(name, variable)| format!("{name} {} {:?} {:?}", variable.value, variable.attributes, variable.body));
    let attributes = without_view(model.attributes.iter()).collect();
    (attributes, blocks.chain(wires).collect(), variables.collect(), model.extras.values().collect())
}

/// Removes the view attributes, such as positions.
fn without_view<'a>(attributes: impl Iterator<Item = (&'a str, &'a str)>) -> impl Iterator<Item = (&'a str, &'a str)> {
    attributes.filter(|(name, _)| !name.starts_with("view:"))
}
