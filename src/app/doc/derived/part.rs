//! A derived value with the sources that it was computed from.

use std::sync::Arc;

use crate::app::doc::reader::NameReader;
use crate::model::{Model, Simulation, Variables};

/// A value that is computed from attributes of the simulation and from models.
#[derive(Default)]
pub struct Part<T> {
    value: T,
    origin: Option<Origin>,
}

/// The sources that a value was computed from.
struct Origin {
    simulation: Arc<Simulation>,
    /// The models whose contents it depends on; `None`: all.
    models: Option<Vec<Arc<Model>>>,
}

impl<T> Part<T> {
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Returns whether the value holds for a simulation: the named attributes, the variables and the models that it was
    /// computed from are the same.
    pub fn holds_for(&self, simulation: &Arc<Simulation>, attributes: &[&str]) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.is_same(simulation, attributes))
    }

    pub fn set(&mut self, simulation: &Arc<Simulation>, compute: impl FnOnce(&NameReader) -> T, reader: &NameReader) {
        self.value = compute(reader);
        self.origin = Some(Origin { simulation: Arc::clone(simulation), models: reader.models() });
    }
}

impl Origin {
    fn is_same(&self, now: &Arc<Simulation>, attributes: &[&str]) -> bool {
        let then = &self.simulation;
        if Arc::ptr_eq(then, now) {
            return true;
        }
        let is_same_text = |name: &&str| then.attributes.get(name) == now.attributes.get(name);
        let is_unchanged = |model: &Arc<Model>| now.model(&model.name).is_some_and(|other| Arc::ptr_eq(other, model));
        let models_are_same = match &self.models {
            Some(models) => models.iter().all(is_unchanged),
            None => then.models.len() == now.models.len() && then.models.values().all(is_unchanged),
        };
        then.root == now.root
            && models_are_same
            && is_same_variables(&then.variables, &now.variables)
            && attributes.iter().all(is_same_text)
    }
}

fn is_same_variables(then: &Variables, now: &Variables) -> bool {
    then.len() == now.len()
        && then
            .iter()
            .zip(now)
            .all(|((name, value), (other, new))| name == other && (Arc::ptr_eq(value, new) || value == new))
}
