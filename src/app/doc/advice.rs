//! Advice on a valid simulation: possible improvements, each with a fix.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::block::{ParamKind, Registry};
use crate::model::{BlockId, BlockKind, Change, Edit, Model, Simulation, block_ports, grounded};

/// A hint with its fix.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub rule: Rule,
    pub message: String,
    pub model: Arc<str>,
    pub block: Option<BlockId>,
    /// The label of the button, and its change.
    pub fix: (&'static str, Change),
}

/// The rules, in the order in which their advice is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    OpenInput,
    UnusedBlock,
    UnusedModel,
    UnusedVariable,
    DuplicateName,
    CrookedWire,
}

impl Rule {
    pub fn title(self) -> &'static str {
        match self {
            Rule::OpenInput => "Unconnected inputs",
            Rule::UnusedBlock => "Unused blocks",
            Rule::UnusedModel => "Unused models",
            Rule::UnusedVariable => "Unused variables",
            Rule::DuplicateName => "Duplicate names",
            Rule::CrookedWire => "Almost straight wires",
        }
    }
}

/// Maximum number of hints.
const MAX_ADVICE: usize = 500;

/// Returns all advice, rule by rule. `of_drawing` finds that on the positions of a model's blocks.
pub fn advise(
    simulation: &Arc<Simulation>,
    registry: &Registry,
    of_drawing: impl Fn(&Model, &mut Vec<Advice>),
) -> Vec<Advice> {
    let mut found = Vec::new();
    for model in simulation.models_in_order() {
        ports(simulation, registry, model, &mut found);
        names(model, &mut found);
        of_drawing(model, &mut found);
        unused_model(simulation, model, &mut found);
    }
    variables(simulation, &mut found);
    found.sort_by_key(|advice| advice.rule);
    found.truncate(MAX_ADVICE);
    found
}

/// Finds unconnected inputs, and blocks without a connected output.
fn ports(simulation: &Simulation, registry: &Registry, model: &Model, found: &mut Vec<Advice>) {
    let read: BTreeSet<(BlockId, &str)> = model.connections.values().map(|wire| (wire.from, &*wire.output)).collect();
    let mut free = model.free_ids();
    for block in model.blocks.values() {
        let def = match &block.kind {
            BlockKind::Library { group, name } => registry.get(group, name),
            _ => None,
        };
        if def.is_none() && !matches!(block.kind, BlockKind::Model { .. }) {
            continue;
        }
        let ports = block_ports(simulation, registry, model, block);
        for (number, input) in ports.inputs.iter().enumerate() {
            if model.source(block.id, input).is_none() {
                let Some(id) = free.next() else { return };
                let message = format!("Input {input} of {} {} is not connected", block.title(), block.id);
                let change = grounded(model, block, input, number, id);
                let (model, block) = (Arc::clone(&model.name), Some(block.id));
                found.push(Advice { rule: Rule::OpenInput, message, model, block, fix: ("Connect 0", change) });
            }
        }
        // A block that writes to a tag is read by that tag.
        let Some(def) = def else { continue };
        let is_tag = def.params.iter().any(|param| matches!(param.kind, ParamKind::Tag { .. }));
        let is_heard = ports.outputs.iter().any(|output| read.contains(&(block.id, &**output)));
        if !ports.outputs.is_empty() && !is_heard && !is_tag {
            let message = format!("No output of {} {} is connected", block.title(), block.id);
            let edit = Edit::RemoveBlocks { model: Arc::clone(&model.name), ids: vec![block.id] };
            let change = Change::one(format!("Delete {}", block.title()), edit);
            let (model, block) = (Arc::clone(&model.name), Some(block.id));
            found.push(Advice { rule: Rule::UnusedBlock, message, model, block, fix: ("Delete", change) });
        }
    }
}

/// Finds labels that several blocks of a model have: the later blocks get a number.
fn names(model: &Model, found: &mut Vec<Advice>) {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    let taken: BTreeSet<&str> = model.blocks.values().filter_map(|block| block.attributes.get("label")).collect();
    let mut given = BTreeSet::new();
    for block in model.blocks.values() {
        let Some(label) = block.attributes.get("label").filter(|label| !label.is_empty()) else { continue };
        let count = known.entry(label).or_default();
        *count += 1;
        if *count == 1 {
            continue;
        }
        let mut names = (2..).map(|number| format!("{label} {number}"));
        let Some(free) = names.find(|name| !taken.contains(name.as_str()) && !given.contains(name)) else { continue };
        given.insert(free.clone());
        let edit = Edit::SetBlockAttribute {
            model: Arc::clone(&model.name),
            id: block.id,
            name: "label".into(),
            value: Some(free.as_str().into()),
        };
        let message = format!("Another block has the same label “{label}” as {}", block.id);
        let fix = ("Rename", Change::one(format!("Rename {label} to {free}"), edit));
        let model = Arc::clone(&model.name);
        found.push(Advice { rule: Rule::DuplicateName, message, model, block: Some(block.id), fix });
    }
}

fn unused_model(simulation: &Simulation, model: &Model, found: &mut Vec<Advice>) {
    if model.name == simulation.root || simulation.users_of(&model.name).next().is_some() {
        return;
    }
    let name = Arc::clone(&model.name);
    let change = Change::one(format!("Remove model {name}"), Edit::RemoveModel { name: Arc::clone(&name) });
    let message = format!("The model {name} is not used");
    found.push(Advice { rule: Rule::UnusedModel, message, model: name, block: None, fix: ("Remove", change) });
}

fn variables(simulation: &Simulation, found: &mut Vec<Advice>) {
    let mut all: BTreeSet<&str> = BTreeSet::new();
    words(simulation.variables.values().map(|variable| &*variable.value), &mut all);
    for model in simulation.models_in_order() {
        let mut used = BTreeSet::new();
        words(model.variables.values().map(|variable| &*variable.value), &mut used);
        for block in model.blocks.values() {
            words(block.options().flat_map(|option| option.texts()), &mut used);
        }
        for name in model.variables.keys().filter(|name| !used.contains(&***name)) {
            found.push(unused_variable(Some(&model.name), name, &simulation.root));
        }
        all.extend(used);
    }
    for name in simulation.variables.keys().filter(|name| !all.contains(&***name)) {
        found.push(unused_variable(None, name, &simulation.root));
    }
}

fn unused_variable(model: Option<&Arc<str>>, name: &Arc<str>, root: &Arc<str>) -> Advice {
    let edit = Edit::SetVariable { model: model.cloned(), name: Arc::clone(name), variable: None };
    let fix = ("Remove", Change::one(format!("Remove variable {name}"), edit));
    let message = format!("The variable {name} is not used");
    Advice { rule: Rule::UnusedVariable, message, model: Arc::clone(model.unwrap_or(root)), block: None, fix }
}

fn words<'a>(texts: impl Iterator<Item = &'a str>, into: &mut BTreeSet<&'a str>) {
    for text in texts {
        into.extend(text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()));
    }
}
