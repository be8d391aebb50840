//! The tree of models: the root, the models in it, and where each is used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::facts::FactsByModel;
use crate::model::{BlockId, Simulation};

/// The models as a tree. It changes with the instances of models, not with other edits of them.
#[derive(Default)]
pub struct ModelTree {
    /// The models under the root.
    pub rows: Vec<TreeRow>,
    /// The names of the others, in the order of the file.
    pub rest: Vec<Arc<str>>,
    users: BTreeMap<Arc<str>, Users>,
}

/// A model at a place in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeRow {
    pub model: Arc<str>,
    /// The names of the models around it, from the root.
    pub around: Vec<Arc<str>>,
    /// Whether it is part of the run: neither it nor a model around it is a variant that is not chosen.
    pub is_chosen: bool,
}

/// Where a model is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Users {
    /// The names of the models that contain instances of it, or have it as a variant.
    pub models: BTreeSet<Arc<str>>,
    /// The number of its instances in these models.
    pub instances: usize,
}

/// The maximum depth; models that contain themselves are shown to this depth.
const DEEPEST: usize = 12;
/// The maximum length of a path, for models that contain themselves.
const LONGEST_PATH: usize = 32;
/// The maximum number of listed paths to instances of a model.
const MAX_PATHS: usize = 200;

impl ModelTree {
    pub fn of(simulation: &Simulation, facts: &FactsByModel) -> ModelTree {
        let mut tree = ModelTree::default();
        for (user, of_user) in facts {
            for (_, model) in &of_user.instances {
                let users = tree.users.entry(Arc::clone(model)).or_default();
                users.models.insert(Arc::clone(user));
                users.instances += 1;
            }
            for (_, model) in &of_user.unchosen {
                tree.users.entry(Arc::clone(model)).or_default().models.insert(Arc::clone(user));
            }
        }
        let mut seen = BTreeSet::new();
        if let Some(root) = simulation.root_model() {
            tree.add(facts, (&root.name, true), &[], &mut seen);
        }
        let rest = simulation.models_in_order().into_iter().filter(|model| !seen.contains(&model.name));
        tree.rest = rest.map(|model| Arc::clone(&model.name)).collect();
        tree
    }

    /// Returns where a model is used; `None` if nowhere.
    pub fn users(&self, model: &str) -> Option<&Users> {
        self.users.get(model)
    }

    /// Adds a model and those in it.
    fn add(
        &mut self,
        facts: &FactsByModel,
        (model, is_chosen): (&Arc<str>, bool),
        around: &[Arc<str>],
        seen: &mut BTreeSet<Arc<str>>,
    ) {
        self.rows.push(TreeRow { model: Arc::clone(model), around: around.to_vec(), is_chosen });
        // A model is expanded once; further instances have the same contents.
        if !seen.insert(Arc::clone(model)) || around.len() >= DEEPEST {
            return;
        }
        let around: Vec<Arc<str>> = around.iter().chain([model]).cloned().collect();
        let mut known = BTreeSet::new();
        let Some(own) = facts.get(model) else { return };
        let instances = own.instances.iter().map(|(_, inner)| (inner, is_chosen));
        let unchosen = own.unchosen.iter().map(|(_, inner)| (inner, false));
        for (inner, is_chosen) in instances.chain(unchosen).filter(|(inner, _)| facts.contains_key(*inner)) {
            if known.insert(inner) {
                self.add(facts, (inner, is_chosen), &around, seen);
            }
        }
    }
}

/// Returns the paths from the root to the instances of a model, up to a maximum.
pub fn paths_to(root: &Arc<str>, facts: &FactsByModel, model: &Arc<str>) -> Vec<Vec<BlockId>> {
    let leading = models_that_lead_to(facts, model);
    let mut found = Vec::new();
    let mut ahead: Vec<(&Arc<str>, Vec<BlockId>)> =
        Vec::from_iter(facts.contains_key(root).then(|| (root, Vec::new())));
    while let Some((here, path)) = ahead.pop() {
        if here == model {
            found.push(path);
            if found.len() >= MAX_PATHS {
                break;
            }
            continue;
        }
        if path.len() >= LONGEST_PATH {
            continue;
        }
        // The last pushed is the next one: the order of the file is reversed here.
        for (block, inner) in facts.get(here).into_iter().flat_map(|facts| facts.instances.iter().rev()) {
            if leading.contains(inner) && facts.contains_key(inner) {
                ahead.push((inner, path.iter().copied().chain([*block]).collect()));
            }
        }
    }
    found
}

/// Returns the model and all models that contain it at any depth.
fn models_that_lead_to<'a>(facts: &'a FactsByModel, model: &'a Arc<str>) -> BTreeSet<&'a Arc<str>> {
    let mut known = BTreeSet::from([model]);
    let mut ahead = vec![model];
    while let Some(name) = ahead.pop() {
        let users = facts.iter().filter(|(_, of_user)| of_user.instances.iter().any(|(_, inner)| inner == name));
        ahead.extend(users.map(|(user, _)| user).filter(|user| known.insert(user)));
    }
    known
}
