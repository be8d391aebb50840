//! Brings models and variables of another simulation into a simulation: by one rule, wherever they come from.
//!
//! A definition with the same content is used again. A definition that the simulation lacks is added; if its name is taken
//! by another one, a number is appended to the name. So every block still refers to the same definition.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::expression_names::{ExpressionOption, options_with_names, variables_in, with_names_replaced};
use super::{
    Block, BlockId, BlockKind, Edit, Extra, LibraryLink, Model, Simulation, Variable, Variables, Variant, nesting,
};
use crate::block::Registry;
use crate::block::language::{Function, constant};

/// A model that is brought into a simulation.
#[derive(Clone, Debug)]
pub struct CopiedModel {
    /// Its name there.
    pub name: Arc<str>,
    /// The edits that bring it, with the models and variables that it uses; none if the simulation has them.
    pub edits: Vec<Edit>,
    /// The simulation after these edits.
    pub simulation: Arc<Simulation>,
}

impl CopiedModel {
    /// Links the copy with the library that it comes from.
    pub fn link(&mut self, link: &LibraryLink) {
        let known = self.simulation.model(&self.name).and_then(|model| LibraryLink::of(model));
        if known.as_ref() != Some(link) {
            self.edits.extend(link.edits(&self.name));
            if let Some(model) = Arc::make_mut(&mut self.simulation).model_mut(&self.name) {
                link.write(&mut model.attributes);
            }
        }
    }
}

/// Brings a model and all models it uses into a simulation.
///
/// Variables of the other simulation that a model uses become variables of the model. None if the other simulation has no
/// such model, or it contains itself.
pub fn copy_model(from: &Simulation, name: &str, into: &Simulation) -> Option<CopiedModel> {
    let mut transfer = Transfer::new(from, into);
    let name = transfer.model(name)?;
    let (edits, simulation) = transfer.finish();
    Some(CopiedModel { name, edits, simulation: Arc::new(simulation) })
}

/// Returns a simulation with a model as its root and all models it uses. None if there is no such model, or it contains
/// itself.
pub fn model_alone(from: &Simulation, name: &str) -> Option<Simulation> {
    let mut alone = Simulation::default();
    (alone.steps, alone.delta) = (from.steps, from.delta);
    let mut transfer = Transfer::new(from, &alone);
    let root = transfer.model(name)?;
    alone = transfer.finish().1;
    alone.root = root;
    Some(alone)
}

/// Gives a model the content of a model of another simulation, and its instances with it. Models that only the old content
/// used are removed, those that the new one uses are brought as by [`copy_model`].
///
/// None if one of both does not exist, or if the other one contains itself.
pub fn replaced_model(from: &Simulation, name: &str, into: &Simulation, model: &str) -> Option<CopiedModel> {
    let (old, original) = (into.model(model)?, from.model(name)?);
    let mut without = into.clone();
    let mut edits = Vec::new();
    let mut empty = Model::new(&old.name);
    empty.seq = old.seq;
    edits.push(Edit::ReplaceModel { model: Box::new(empty.clone()) });
    *without.model_mut(model)? = empty;
    let inner = used(into, model)?;
    // Each after its users.
    for name in inner.iter().rev().filter(|name| ***name != *model && **name != into.root) {
        if without.users_of(name).next().is_none() {
            without.models.remove(name);
            edits.push(Edit::RemoveModel { name: Arc::clone(name) });
        }
    }
    let mut transfer = Transfer::new(from, &without);
    for name in used(from, name)?.iter().filter(|inner| **inner != original.name) {
        transfer.model_after_its_models(name)?;
    }
    let mut copy = complete(from, original);
    follow_names(&mut copy, &transfer.models);
    transfer.bring_conditions(&mut copy);
    (copy.name, copy.seq) = (Arc::clone(&old.name), old.seq);
    transfer.edits.push(Edit::ReplaceModel { model: Box::new(copy.clone()) });
    *transfer.into.model_mut(model)? = copy;
    let (brought, simulation) = transfer.finish();
    edits.extend(brought);
    Some(CopiedModel { name: Arc::clone(&old.name), edits, simulation: Arc::new(simulation) })
}

/// The transfer of some models and variables from one simulation to another.
pub(super) struct Transfer<'a> {
    from: &'a Simulation,
    /// The destination with all that has been brought so far.
    into: Simulation,
    /// The edits that bring it there.
    edits: Vec<Edit>,
    /// The names in the destination of the models that were brought.
    models: BTreeMap<Arc<str>, Arc<str>>,
    /// The variables that have another name there: old and new names.
    variables: BTreeMap<Arc<str>, Arc<str>>,
}

impl<'a> Transfer<'a> {
    pub fn new(from: &'a Simulation, into: &Simulation) -> Transfer<'a> {
        Transfer { from, into: into.clone(), edits: Vec::new(), models: BTreeMap::new(), variables: BTreeMap::new() }
    }

    /// Returns the edits, and the destination with all of them.
    pub fn finish(self) -> (Vec<Edit>, Simulation) {
        (self.edits, self.into)
    }

    /// Returns the models and variables that have another name in the destination, as text.
    pub fn renamed(&self) -> Vec<String> {
        let all = self.models.iter().chain(&self.variables).filter(|(old, new)| old != new);
        all.map(|(old, new)| format!("“{old}” as “{new}”")).collect()
    }

    /// Brings a model and all models it uses; returns its name in the destination. None if there is no such model, or it
    /// contains itself.
    pub fn model(&mut self, name: &str) -> Option<Arc<str>> {
        if !self.models.contains_key(name) {
            for name in used(self.from, name)? {
                self.model_after_its_models(&name)?;
            }
        }
        self.models.get(name).cloned()
    }

    /// Brings a model of which all models that it uses have been brought.
    fn model_after_its_models(&mut self, name: &Arc<str>) -> Option<()> {
        if self.models.contains_key(name) {
            return Some(());
        }
        let original = self.from.model(name)?;
        let new_name = match self.into.model(name) {
            Some(known) if self.is_shared(original, known) => Arc::clone(name),
            _ => {
                let mut copy = complete(self.from, original);
                follow_names(&mut copy, &self.models);
                self.bring_conditions(&mut copy);
                let mut named_alike = self.into.models.values().filter(|known| is_copy_name(&known.name, name));
                match named_alike.find(|known| is_same(&complete(&self.into, known), &copy)) {
                    Some(known) => Arc::clone(&known.name),
                    None => {
                        copy.name = self.into.free_model_name(name).into();
                        let name = Arc::clone(&copy.name);
                        self.into.add_model(copy.clone());
                        self.edits.push(Edit::InsertModel { model: Box::new(copy) });
                        name
                    }
                }
            }
        };
        self.models.insert(Arc::clone(name), new_name);
        Some(())
    }

    /// Whether the destination has this very model, with the same variables around it: both are states of one document.
    fn is_shared(&self, original: &Arc<Model>, known: &Arc<Model>) -> bool {
        let same_names = |block: &Arc<Block>| {
            block.models().iter().all(|model| self.models.get(model).is_none_or(|new| new == model))
        };
        Arc::ptr_eq(original, known)
            && is_shared(&self.from.variables, &self.into.variables)
            && original.blocks.values().all(same_names)
    }

    /// Brings the models and variables that some blocks of the model `home` need into the model `target`. The blocks
    /// follow the new names.
    pub fn blocks(&mut self, registry: &Registry, blocks: &mut [Arc<Block>], home: &str, target: &Arc<str>) {
        for block in blocks.iter_mut().filter(|block| matches!(block.kind, BlockKind::Model { .. })) {
            let mut renamed: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
            for name in block.models().into_iter().filter(|name| self.from.model(name).is_some()) {
                // A model that contains itself is not brought; the block must not become an instance of another model.
                let new = self.model(&name).unwrap_or_else(|| self.into.free_model_name(&name).into());
                if new != name {
                    renamed.insert(name, new);
                }
            }
            if !renamed.is_empty() {
                Arc::make_mut(block).rename_models(|model| renamed.get(model).cloned());
            }
            if block.attributes.get(Variant::ATTRIBUTE).is_some() {
                self.bring_conditions_of(Arc::make_mut(block));
            }
        }
        let Some(home) = self.from.model(home) else { return };
        if home.variables.is_empty() && self.from.variables.is_empty() {
            return;
        }
        let options: Vec<Vec<ExpressionOption>> =
            blocks.iter().map(|block| options_with_names(block, registry)).collect();
        let used: BTreeSet<&str> =
            options.iter().flatten().flat_map(|option| option.names.iter().map(String::as_str)).collect();
        let renamed = self.variables(Some(home), used.into_iter(), Some(target));
        if renamed.is_empty() {
            return;
        }
        for (block, options) in blocks.iter_mut().zip(&options) {
            for option in options.iter().filter(|option| option.names.iter().any(|name| renamed.contains_key(&**name)))
            {
                let new_name = |name: &str| {
                    let new = renamed.get(name).filter(|_| option.names.contains(name));
                    new.map(|new| new.to_string())
                };
                let texts = block.option_texts(&option.option).unwrap_or_default();
                let texts: Vec<String> = texts.into_iter().map(|text| with_names_replaced(text, new_name)).collect();
                Arc::make_mut(block).set_option(&option.option, Some(&texts));
            }
        }
    }

    /// Brings the variables in the conditions of the variants of a model's blocks.
    fn bring_conditions(&mut self, model: &mut Model) {
        let has_variants = |block: &&Arc<Block>| block.attributes.get(Variant::ATTRIBUTE).is_some();
        let ids: Vec<BlockId> = model.blocks.values().filter(has_variants).map(|block| block.id).collect();
        for id in ids {
            if let Some(block) = model.block_mut(id) {
                self.bring_conditions_of(block);
            }
        }
    }

    /// Brings the variables in the conditions of a block's variants, which are those of the simulation.
    fn bring_conditions_of(&mut self, block: &mut Block) {
        let mut variants = block.variants().unwrap_or_default();
        let names: BTreeSet<String> = variants.iter().flat_map(|variant| variables_in(&variant.condition)).collect();
        let renamed = self.variables(None, names.iter().map(String::as_str), None);
        if renamed.is_empty() {
            return;
        }
        let new_name = |name: &str| renamed.get(name).map(|new| new.to_string());
        for variant in &mut variants {
            variant.condition = with_names_replaced(&variant.condition, new_name).into();
        }
        block.attributes.set(Variant::ATTRIBUTE, &Variant::list_text(&variants));
    }

    /// Brings the variables with these names, as the model `home` sees them, into the model `target`; without models, those
    /// of the simulation into the simulation. Returns the names that changed.
    fn variables<'n>(
        &mut self,
        home: Option<&Model>,
        names: impl Iterator<Item = &'n str>,
        target: Option<&Arc<str>>,
    ) -> BTreeMap<Arc<str>, Arc<str>> {
        let from = self.from;
        let locals = home.map(|home| &home.variables);
        let wanted: Vec<Seen> = names.filter_map(|name| see(locals, &from.variables, name)).collect();
        let mut brought: HashMap<Seen, Arc<str>> = HashMap::new();
        for variable in in_order(locals, &from.variables, &wanted) {
            let new_name = |name: &str| {
                let used = see(variable.locals(locals), &from.variables, name)?;
                Some(brought.get(&used)?.to_string())
            };
            let value = with_names_replaced(&variable.variable.value, new_name);
            let copy = Variable { value: value.into(), ..Variable::clone(variable.variable) };
            let name = self.variable(variable.name, copy, target);
            brought.insert(variable, name);
        }
        let renamed = wanted.into_iter().filter_map(|seen| {
            let new = brought.get(&seen)?;
            (**new != *seen.name).then(|| (Arc::from(seen.name), Arc::clone(new)))
        });
        let renamed: BTreeMap<Arc<str>, Arc<str>> = renamed.collect();
        self.variables.extend(renamed.clone());
        renamed
    }

    /// Brings a variable of which all that it uses has been brought; returns its name in the destination.
    fn variable(&mut self, wanted: &str, copy: Variable, target: Option<&Arc<str>>) -> Arc<str> {
        let locals = target.and_then(|target| self.into.model(target)).map(|model| &model.variables);
        if let Some(name) = same_variable(locals, &self.into.variables, wanted, &copy) {
            return name;
        }
        let name = free_variable_name(wanted, |name| see(locals, &self.into.variables, name).is_some());
        match target {
            None => self.into.set_variable(&name, copy.clone()),
            Some(target) => {
                if let Some(model) = self.into.model_mut(target) {
                    model.set_variable(&name, copy.clone());
                }
            }
        }
        let (model, variable) = (target.cloned(), Some(copy));
        self.edits.push(Edit::SetVariable { model, name: Arc::clone(&name), variable });
        name
    }
}

/// Where a variable is defined.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Scope {
    Model,
    Simulation,
}

/// A variable that a name stands for.
#[derive(Clone, Copy)]
struct Seen<'a> {
    scope: Scope,
    name: &'a str,
    variable: &'a Variable,
}

impl Seen<'_> {
    /// Returns those variables of the model that the variable's value sees: none if it is one of the simulation.
    fn locals<'a>(&self, locals: Option<&'a Variables>) -> Option<&'a Variables> {
        locals.filter(|_| self.scope == Scope::Model)
    }
}

impl PartialEq for Seen<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.scope, self.name) == (other.scope, other.name)
    }
}

impl Eq for Seen<'_> {}

impl Hash for Seen<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.scope, self.name).hash(state);
    }
}

/// Returns the variable that a name stands for; variables of the model hide those of the simulation.
fn see<'a>(locals: Option<&'a Variables>, globals: &'a Variables, name: &str) -> Option<Seen<'a>> {
    let of = |scope, variables: &'a Variables| {
        variables.get_key_value(name).map(|(name, variable)| Seen { scope, name, variable })
    };
    locals.and_then(|locals| of(Scope::Model, locals)).or_else(|| of(Scope::Simulation, globals))
}

/// Returns the variables with all that their values use, each after those that it uses. In a cycle, some come earlier.
fn in_order<'a>(locals: Option<&'a Variables>, globals: &'a Variables, wanted: &[Seen<'a>]) -> Vec<Seen<'a>> {
    let mut order = Vec::new();
    let mut met: HashSet<Seen> = HashSet::new();
    // Variables that are being visited, each with the variables it uses that are still to be visited.
    let mut path: Vec<(Seen, Vec<Seen>)> = Vec::new();
    for first in wanted {
        let mut next = Some(*first);
        loop {
            if let Some(variable) = next.take().filter(|variable| met.insert(*variable)) {
                let used = variables_in(&variable.variable.value);
                let locals = variable.locals(locals);
                path.push((variable, used.iter().filter_map(|name| see(locals, globals, name)).collect()));
            }
            match path.last_mut() {
                None => break,
                Some((_, used)) if !used.is_empty() => next = used.pop(),
                Some(_) => order.extend(path.pop().map(|(variable, _)| variable)),
            }
        }
    }
    order
}

/// Returns the name of a variable with the same content, under this name or with a number appended, that the model with
/// these variables sees.
fn same_variable(locals: Option<&Variables>, globals: &Variables, name: &str, copy: &Variable) -> Option<Arc<str>> {
    let is_same =
        |known: &Variable| known.value == copy.value && known.attributes == copy.attributes && known.body == copy.body;
    let is_hidden = |name: &str| locals.is_some_and(|locals| locals.contains_key(name));
    // Within a variable of the simulation, names stand for variables of the simulation.
    let means_the_same = |variable: &Variable| !variables_in(&variable.value).iter().any(|name| is_hidden(name));
    let of_simulation = globals.iter().filter(|(name, variable)| !is_hidden(name) && means_the_same(variable));
    let mut alike = locals.into_iter().flatten().chain(of_simulation).filter(|(known, _)| is_numbered(known, name));
    alike.find(|(_, known)| is_same(known)).map(|(known, _)| Arc::clone(known))
}

/// Returns `wanted`, with a number appended if it is taken or has another meaning.
fn free_variable_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> Arc<str> {
    let numbered = (2..).map(|number: u64| format!("{wanted}_{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let is_free = |name: &String| !is_taken(name) && Function::by_name(name).is_none() && constant(name).is_none();
    names.find(is_free).unwrap_or_default().into()
}

/// Whether `known` is `name`, optionally with `_` and a number appended.
fn is_numbered(known: &str, name: &str) -> bool {
    let end = known.strip_prefix(name);
    end.is_some_and(|end| end.is_empty() || end.strip_prefix('_').is_some_and(|end| end.parse::<u64>().is_ok()))
}

/// Whether both are the same variables, as copies of one document have them.
fn is_shared(a: &Variables, b: &Variables) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((a, one), (b, other))| a == b && Arc::ptr_eq(one, other))
}

/// Returns the model and all models it uses, each after its dependencies. None if there is no such model, or it contains
/// itself.
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

/// Returns a copy of a model to which the variables of the simulation that it uses belong.
fn complete(simulation: &Simulation, model: &Model) -> Model {
    let mut copy = Model::clone(model);
    let globals = &simulation.variables;
    if globals.is_empty() {
        return copy;
    }
    let registry = Registry::standard();
    let options = model.blocks.values().flat_map(|block| options_with_names(block, &registry));
    let of_variables = model.variables.values().flat_map(|variable| variables_in(&variable.value));
    let names: BTreeSet<String> = options.flat_map(|option| option.names).chain(of_variables).collect();
    let used = names.iter().filter(|name| !model.variables.contains_key(&***name));
    let wanted: Vec<Seen> = used.filter_map(|name| see(None, globals, name)).collect();
    let mut brought: HashMap<&str, Arc<str>> = HashMap::new();
    for variable in in_order(None, globals, &wanted) {
        // A variable that only other variables use must not get a name that the model has or uses.
        let is_taken = |name: &str| {
            let is_itself = name == variable.name && wanted.contains(&variable);
            !is_itself && (copy.variables.contains_key(name) || names.contains(name))
        };
        let name = free_variable_name(variable.name, is_taken);
        let new_name = |name: &str| brought.get(name).map(|new| new.to_string());
        let value = with_names_replaced(&variable.variable.value, new_name);
        copy.set_variable(&name, Variable { value: value.into(), ..Variable::clone(variable.variable) });
        brought.insert(variable.name, name);
    }
    copy
}

fn follow_names(model: &mut Model, names: &BTreeMap<Arc<str>, Arc<str>>) {
    let is_renamed = |model: &Arc<str>| names.get(model).is_some_and(|new| new != model);
    let uses = |block: &Arc<Block>| block.models().iter().any(is_renamed);
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
