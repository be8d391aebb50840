//! The instances of models: paths from the root.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{BlockId, BlockKind, Simulation};

/// The instances of models, cached by document state.
#[derive(Default)]
pub struct Uses {
    revision: Option<u64>,
    of: BTreeMap<Arc<str>, Vec<Vec<BlockId>>>,
}

impl Uses {
    /// Returns the paths of a model's instances.
    pub fn of(&mut self, simulation: &Simulation, revision: u64, model: &Arc<str>) -> &[Vec<BlockId>] {
        if self.revision != Some(revision) {
            self.revision = Some(revision);
            self.of.clear();
        }
        let find = || uses_under_root(simulation, model);
        self.of.entry(Arc::clone(model)).or_insert_with(find)
    }
}

/// The maximum number of listed instances.
const MOST: usize = 200;

/// Returns the paths of a model's instances, up to a maximum.
pub fn uses_under_root(simulation: &Simulation, model: &str) -> Vec<Vec<BlockId>> {
    let leading = models_that_lead_to(simulation, model);
    let mut found = Vec::new();
    let Some(root) = simulation.root_model() else { return found };
    let mut ahead = vec![(Arc::clone(root), Vec::new())];
    while let Some((here, path)) = ahead.pop() {
        if &*here.name == model {
            found.push(path);
            if found.len() >= MOST {
                break;
            }
            continue;
        }
        let mut inner: Vec<_> = here.blocks.values().collect();
        inner.sort_by_key(|block| std::cmp::Reverse(block.seq));
        for block in inner {
            if let BlockKind::Model { model } = &block.kind
                && leading.contains(model)
                && let Some(inner) = simulation.model(model)
            {
                ahead.push((Arc::clone(inner), path.iter().copied().chain([block.id]).collect()));
            }
        }
    }
    found
}

/// Returns the model and all models that contain it at any depth.
fn models_that_lead_to(simulation: &Simulation, model: &str) -> std::collections::BTreeSet<Arc<str>> {
    let mut known = std::collections::BTreeSet::new();
    let mut ahead: Vec<Arc<str>> = vec![model.into()];
    while let Some(name) = ahead.pop() {
        if known.insert(Arc::clone(&name)) {
            ahead.extend(simulation.instances_of(&name).map(|(user, _)| Arc::clone(&user.name)));
        }
    }
    known
}

/// Formats a path from the root as `Plant / Motor #3`.
pub fn path_text(simulation: &Simulation, path: &[BlockId]) -> String {
    let Some(mut here) = simulation.root_model() else { return String::new() };
    let mut parts = Vec::new();
    for id in path {
        let Some(block) = here.block(*id) else { break };
        parts.push(format!("{} {id}", block.title()));
        let BlockKind::Model { model } = &block.kind else { break };
        let Some(inner) = simulation.model(model) else { break };
        here = inner;
    }
    if parts.is_empty() { here.name.to_string() } else { parts.join(" / ") }
}
