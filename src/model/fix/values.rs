//! Fixes of parameters, variables and attributes.

use std::sync::Arc;

use super::{Fix, Site};
use crate::model::{Change, Edit, Scope, Variable, unknown_name};

impl Site<'_> {
    pub(super) fn create_variable(&self) -> Option<Change> {
        let scope = match self.model {
            Some(model) => Scope::of_model(self.simulation, model),
            None => Scope::of_simulation(self.simulation),
        };
        let texts: Vec<&str> = match self.block {
            Some(block) => block.option_texts(self.subject?)?,
            None => {
                let variables = self.model.map_or(&self.simulation.variables, |model| &model.variables);
                vec![&variables.get(self.subject?)?.value]
            }
        };
        let name: Arc<str> = unknown_name(&texts, &scope)?.into();
        let model = self.model.map(|model| Arc::clone(&model.name));
        let variable = Some(Variable::new("1"));
        Some(Change::one(format!("Create variable {name}"), Edit::SetVariable { model, name, variable }))
    }

    pub(super) fn remove_option(&self, fix: Fix) -> Option<Change> {
        let (model, block, name) = (self.model?, self.block?, self.subject?);
        block.option(name)?;
        let (model, id) = (Arc::clone(&model.name), block.id);
        let edit = Edit::SetOption { model, id, name: name.into(), values: None };
        Some(Change::one(format!("{} {name} of {} {id}", fix.label(), block.title()), edit))
    }

    pub(super) fn remove_attribute(&self) -> Option<Change> {
        let name = self.subject?;
        let label = format!("Use default of {name}");
        match (self.model, self.block) {
            (Some(model), Some(block)) => {
                block.attributes.get(name)?;
                let (model, id) = (Arc::clone(&model.name), block.id);
                Some(Change::one(label, Edit::SetBlockAttribute { model, id, name: name.into(), value: None }))
            }
            // They have edits of their own.
            _ if ["steps", "delta"].contains(&name) => None,
            _ => {
                self.simulation.attributes.get(name)?;
                Some(Change::one(label, Edit::SetSimulationAttribute { name: name.into(), value: None }))
            }
        }
    }
}
