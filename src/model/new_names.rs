//! Other ids and names for the blocks, ports and models of a document, all at once. The addresses that its attributes
//! store follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::follow::follow;
use super::{BlockAddress, BlockId, Change, Edit, Relocation, Simulation};
use crate::block::Registry;

/// The new ids and names.
#[derive(Clone, Debug, Default)]
pub struct NewNames {
    /// The ids of blocks, by model.
    pub ids: BTreeMap<Arc<str>, BTreeMap<BlockId, BlockId>>,
    /// The names of entries and exits, which are given by their new ids.
    pub ports: Vec<(Arc<str>, BlockId, Arc<str>)>,
    pub models: BTreeMap<Arc<str>, Arc<str>>,
}

impl NewNames {
    /// Returns the document with these names. A name that another model or port has is not given.
    pub fn applied(&self, simulation: &Simulation, registry: &Registry) -> Simulation {
        let mut changed = simulation.clone();
        self.renumber(simulation, &mut changed, registry);
        for (model, id, name) in &self.ports {
            let edit = Edit::RenamePort { model: Arc::clone(model), id: *id, name: Arc::clone(name) };
            apply(&mut changed, edit, registry);
        }
        self.rename_models(&mut changed, registry);
        changed
    }

    fn renumber(&self, before: &Simulation, changed: &mut Simulation, registry: &Registry) {
        let mut edits = Vec::new();
        for (name, ids) in self.ids.iter().filter(|(_, ids)| !ids.is_empty()) {
            let Some(model) = changed.model_mut(name) else { continue };
            model.renumber(ids);
            let moved = ids.iter().map(|(old, new)| (BlockAddress::new(&[], *old), BlockAddress::new(&[], *new)));
            edits.push(Edit::Relocate(Box::new(Relocation { blocks: moved.collect(), ..Relocation::new(name) })));
        }
        if !edits.is_empty() {
            follow(&edits, before, changed, registry);
        }
    }

    fn rename_models(&self, changed: &mut Simulation, registry: &Registry) {
        // A name may be free only after another model has got its new one.
        let mut later = Vec::new();
        for (from, to) in self.models.iter().filter(|(from, to)| from != to) {
            let between: Arc<str> = changed.free_model_name(&format!("{to} ")).into();
            let edit = Edit::RenameModel { from: Arc::clone(from), to: Arc::clone(&between) };
            if apply(changed, edit, registry) {
                later.push((between, from, to));
            }
        }
        for (between, from, to) in later {
            for to in [to, from] {
                let edit = Edit::RenameModel { from: Arc::clone(&between), to: Arc::clone(to) };
                if apply(changed, edit, registry) {
                    break;
                }
            }
        }
    }
}

/// Applies an edit, and returns whether it was possible.
fn apply(simulation: &mut Simulation, edit: Edit, registry: &Registry) -> bool {
    match Change::one("", edit).applied(simulation, registry) {
        Ok(changed) => {
            *simulation = changed;
            true
        }
        Err(_) => false,
    }
}
