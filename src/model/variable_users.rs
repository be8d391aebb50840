//! Where a variable is used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::expression_names::{options_with_names, variables_in};
use super::{Block, BlockId, Model, Simulation, Variables};
use crate::block::Registry;

/// The users of a variable: blocks and other variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariableUsers {
    /// The blocks, each with its model.
    pub blocks: Vec<(Arc<str>, BlockId)>,
    /// The variables with a value that names it.
    pub variables: Vec<Arc<str>>,
}

impl VariableUsers {
    /// Finds the users of a variable of a model, or without one of the simulation. A variable of a model hides that of the
    /// simulation with the same name.
    pub fn of(simulation: &Simulation, registry: &Registry, model: Option<&Model>, name: &str) -> VariableUsers {
        let mut users = VariableUsers::default();
        match model {
            Some(model) => users.add_model(registry, model, name),
            None => {
                users.add_variables(&simulation.variables, name);
                let sees = |model: &&Arc<Model>| !model.variables.contains_key(name);
                let models = simulation.models_in_order().into_iter().filter(sees);
                models.for_each(|model| users.add_model(registry, model, name));
            }
        }
        users
    }

    /// Finds the users of several variables of the simulation in one pass, in the order of [`VariableUsers::of`].
    pub fn of_each(
        simulation: &Simulation,
        registry: &Registry,
        names: &[Arc<str>],
    ) -> BTreeMap<Arc<str>, VariableUsers> {
        let mut users: BTreeMap<Arc<str>, VariableUsers> =
            names.iter().map(|name| (Arc::clone(name), VariableUsers::default())).collect();
        for (user, variable) in &simulation.variables {
            for used in variables_in(&variable.value) {
                if let Some(users) = users.get_mut(&*used) {
                    users.variables.push(Arc::clone(user));
                }
            }
        }
        for model in simulation.models_in_order() {
            add_users(model, registry, &mut users);
        }
        users
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.variables.is_empty()
    }

    fn add_model(&mut self, registry: &Registry, model: &Model, name: &str) {
        self.add_variables(&model.variables, name);
        let blocks = model.blocks.values().filter(|block| uses(block, registry, name));
        self.blocks.extend(blocks.map(|block| (Arc::clone(&model.name), block.id)));
    }

    fn add_variables(&mut self, variables: &Variables, name: &str) {
        let using = variables.iter().filter(|(_, variable)| variables_in(&variable.value).contains(name));
        self.variables.extend(using.map(|(name, _)| Arc::clone(name)));
    }
}

/// Adds the blocks and variables of a model to the users of each variable of the simulation that it sees.
fn add_users(model: &Model, registry: &Registry, users: &mut BTreeMap<Arc<str>, VariableUsers>) {
    let is_seen = |name: &str| !model.variables.contains_key(name);
    for (user, variable) in &model.variables {
        for used in variables_in(&variable.value).into_iter().filter(|used| is_seen(used)) {
            if let Some(users) = users.get_mut(&*used) {
                users.variables.push(Arc::clone(user));
            }
        }
    }
    for block in model.blocks.values() {
        let names: BTreeSet<String> =
            options_with_names(block, registry).into_iter().flat_map(|option| option.names).collect();
        for used in names.iter().filter(|used| is_seen(used)) {
            if let Some(users) = users.get_mut(&**used) {
                users.blocks.push((Arc::clone(&model.name), block.id));
            }
        }
    }
}

fn uses(block: &Block, registry: &Registry, name: &str) -> bool {
    // Most values are plain numbers.
    let may_use = block.options().flat_map(|option| option.texts()).any(|text| text.contains(name));
    may_use && options_with_names(block, registry).iter().any(|option| option.names.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BlockKind, Variable};

    #[test]
    fn blocks_and_variables_that_name_it_are_found() {
        let gain =
            |id, value: &str| Block::new(BlockId(id), BlockKind::library("Math", "Gain")).with_option("Gain", &[value]);
        let sum = Block::new(BlockId(4), BlockKind::library("Math", "Sum")).with_option("Signs", &["k"]);
        let formula = |id, inputs: &str| {
            let block = Block::new(BlockId(id), BlockKind::library("User", "Formula"));
            block.with_option("Formula", &["y = k*u"]).with_option("Inputs", &[inputs])
        };
        let mut simulation = Simulation::new("Main");
        simulation.set_variable("k", Variable::new("2"));
        simulation.set_variable("double", Variable::new("2*k"));
        simulation.set_variable("kk", Variable::new("3"));
        let main = simulation.model_mut("Main").expect("the root");
        for block in [gain(1, "k"), gain(2, "[1 sin(k)]"), gain(3, "kk"), sum, formula(5, "u"), formula(6, "u k")] {
            main.add_block(block);
        }
        let mut hiding = Model::new("Hiding");
        hiding.set_variable("k", Variable::new("7"));
        hiding.add_block(gain(1, "k+1"));
        simulation.add_model(hiding);
        let registry = Registry::standard();
        let users = |model: Option<&str>| {
            let model = model.and_then(|model| simulation.model(model)).map(|model| &**model);
            VariableUsers::of(&simulation, &registry, model, "k")
        };
        let main: Arc<str> = "Main".into();
        let of_all = users(None);
        assert_eq!(of_all.blocks, [1, 2, 5].map(|id| (Arc::clone(&main), BlockId(id))));
        assert_eq!(of_all.variables, [Arc::from("double")]);
        assert_eq!(users(Some("Hiding")).blocks, [(Arc::from("Hiding"), BlockId(1))]);
        assert!(VariableUsers::of(&simulation, &registry, None, "unused").is_empty());
        let names = ["k", "kk", "unused"].map(Arc::from);
        for (name, found) in VariableUsers::of_each(&simulation, &registry, &names) {
            assert_eq!(found, VariableUsers::of(&simulation, &registry, None, &name), "{name}");
        }
    }
}
