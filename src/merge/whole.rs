//! Merges the simulation and its models, whose ids and names are aligned.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::content::{self, Found, deleted_by, models_mean_the_same, used_models};
use super::tag::{ExtraKey, States, attributes, extras, keyed_extras};
use super::three_way::{Pick, order, pick};
use crate::model::{
    CONFLICTS, Conflict, Extra, Holder, Model, Property, Simulation, Variable, conflicts_in, conflicts_text,
};

/// A merged simulation, and the conflicts that are not yet in its attributes.
pub struct Whole {
    pub simulation: Simulation,
    pub conflicts: Found,
}

impl Whole {
    pub fn add(&mut self, conflicts: Found) {
        self.conflicts.extend(conflicts);
    }

    /// Writes the conflicts into the attributes.
    pub fn finish(mut self) -> Simulation {
        for (holder, conflict) in self.conflicts {
            let is_there = holder.attributes(&self.simulation).is_some();
            let holder = if is_there { holder } else { Holder::Simulation };
            if let Some(attributes) = holder.attributes_mut(&mut self.simulation) {
                let mut all = conflicts_in(attributes);
                if !all.contains(&conflict) {
                    all.push(conflict);
                }
                attributes.put(CONFLICTS, conflicts_text(&all).as_deref());
            }
        }
        self.simulation
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ChildKey {
    Model(Arc<str>),
    Variable(Arc<str>),
    Extra(ExtraKey),
}

pub fn merged(base: &Simulation, ours: &Simulation, theirs: &Simulation) -> Whole {
    let states = States { base, ours, theirs };
    let all = [base, ours, theirs];
    let mut found = Found::new();
    let mut simulation = head(states, &mut found);
    let mut models = models(states, &mut found);
    restore_used(states, &simulation.root, &mut models, &mut found);
    let variables = content::variables(states.map(|of| &of.variables), None, &mut found);

    let lists = all.map(children);
    let known = lists.each_ref().map(|list| list.iter().collect::<BTreeSet<&ChildKey>>());
    let keeps = |key: &ChildKey| match key {
        ChildKey::Model(name) => models.contains_key(name),
        ChildKey::Variable(name) => variables.contains_key(name),
        ChildKey::Extra(_) => {
            let [base, ours, theirs] = known.each_ref().map(|known| known.contains(key));
            !base || (ours && theirs)
        }
    };
    for key in order(&lists[0], [&lists[1], &lists[2]], keeps) {
        match key {
            ChildKey::Model(name) => {
                if let Some(model) = models.get(&name) {
                    simulation.add_model(Model::clone(model));
                }
            }
            ChildKey::Variable(name) => {
                if let Some(variable) = variables.get(&name) {
                    simulation.set_variable(&name, Variable::clone(variable));
                }
            }
            ChildKey::Extra((xml, _)) => simulation.add_extra(Extra::new(xml)),
        }
    }
    Whole { simulation, conflicts: found }
}

fn children(simulation: &Simulation) -> Vec<ChildKey> {
    let models = simulation.models.values().map(|model| (model.seq, ChildKey::Model(Arc::clone(&model.name))));
    let variables = simulation.variables.iter().map(|(name, of)| (of.seq, ChildKey::Variable(Arc::clone(name))));
    let extras = simulation.extras.keys().zip(keyed_extras(simulation.extras.values()));
    let extras = extras.map(|(seq, key)| (*seq, ChildKey::Extra(key)));
    let mut all: Vec<(u64, ChildKey)> = models.chain(variables).chain(extras).collect();
    all.sort_by_key(|(seq, _)| *seq);
    all.into_iter().map(|(_, key)| key).collect()
}

/// Merges the tag of the simulation.
fn head(states: States<Simulation>, found: &mut Found) -> Simulation {
    let States { base, ours, theirs } = states;
    let mut conflicts = Vec::new();
    let mut chosen = |property: Property, text: fn(&Simulation) -> String| {
        let texts = [base, ours, theirs].map(text);
        match pick(&texts[0], &texts[1], &texts[2]) {
            Pick::Ours => ours,
            Pick::Theirs => theirs,
            Pick::Conflict => {
                let [base, ours_text, theirs] = texts.each_ref().map(|text| Some(text.as_str()));
                conflicts.push(Conflict::of_texts(property, base, ours_text, theirs));
                ours
            }
        }
    };
    let steps = chosen(Property::Steps, |of| of.steps.to_string()).steps;
    let delta = chosen(Property::Delta, |of| of.delta.to_string()).delta;
    let root = Arc::clone(&chosen(Property::Root, |of| of.root.to_string()).root);
    let attributes = attributes(states.map(|of| &of.attributes), &mut conflicts);
    found.extend(conflicts.into_iter().map(|conflict| (Holder::Simulation, conflict)));
    let prolog = extras(states.map(|of| &of.prolog[..]));
    let epilog = extras(states.map(|of| &of.epilog[..]));
    let mut head = Simulation::default();
    (head.steps, head.delta, head.root) = (steps, delta, root);
    (head.attributes, head.prolog, head.epilog) = (attributes, prolog, epilog);
    head
}

type Models = BTreeMap<Arc<str>, Arc<Model>>;

fn models(states: States<Simulation>, found: &mut Found) -> Models {
    let States { base, ours, theirs } = states;
    let names: BTreeSet<&Arc<str>> = [base, ours, theirs].iter().flat_map(|of| of.models.keys()).collect();
    let mut models = Models::new();
    for name in names {
        let model = match (base.model(name), ours.model(name), theirs.model(name)) {
            (_, None, None) => None,
            (None, Some(only), None) | (None, None, Some(only)) => Some(Arc::clone(only)),
            (Some(base), Some(only), None) => deleted(1, (base, only), found),
            (Some(base), None, Some(only)) => deleted(0, (base, only), found),
            (Some(base), Some(ours), Some(theirs)) if is_same(base, ours) => {
                Some(Arc::clone(if is_same(ours, theirs) { ours } else { theirs }))
            }
            (Some(base), Some(ours), Some(theirs)) if is_same(base, theirs) => Some(Arc::clone(ours)),
            (base, Some(ours), Some(theirs)) => {
                let empty = Model::new(name);
                let states = States { base: base.map_or(&empty, |base| &**base), ours, theirs };
                Some(Arc::new(content::model(states, found)))
            }
        };
        models.extend(model.map(|model| (Arc::clone(name), model)));
    }
    models
}

/// Whether models are equal but for their places in the file.
fn is_same(first: &Arc<Model>, second: &Arc<Model>) -> bool {
    Arc::ptr_eq(first, second)
        || (first.attributes == second.attributes
            && first.blocks == second.blocks
            && first.connections == second.connections
            && first.variables == second.variables
            && first.extras == second.extras)
}

/// A model that a side (0 for ours) has deleted and the other has as `kept`.
fn deleted(by: usize, (base, kept): (&Arc<Model>, &Arc<Model>), found: &mut Found) -> Option<Arc<Model>> {
    if models_mean_the_same(base, kept) {
        return None;
    }
    found.push((Holder::Model(Arc::clone(&kept.name)), deleted_by(by)));
    Some(Arc::clone(kept))
}

/// Keeps the models that a side has deleted while the other uses them in a new place.
fn restore_used(states: States<Simulation>, root: &Arc<str>, models: &mut Models, found: &mut Found) {
    let mut pending: Vec<Arc<str>> = models.values().flat_map(|model| used_models(model)).collect();
    pending.push(Arc::clone(root));
    while let Some(name) = pending.pop() {
        if models.contains_key(&name) {
            continue;
        }
        let (by, kept) = match (states.ours.model(&name), states.theirs.model(&name)) {
            (None, Some(kept)) => (0, kept),
            (Some(kept), None) => (1, kept),
            _ => continue,
        };
        found.push((Holder::Model(Arc::clone(&name)), deleted_by(by)));
        pending.extend(used_models(kept));
        models.insert(name, Arc::clone(kept));
    }
}
