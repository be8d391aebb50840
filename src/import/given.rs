//! Values that a file gives for names of a simulation that is imported already.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::error::ImportError;
use super::map;
use super::values::{Workspace, variable_name};
use crate::model::{Edit, Simulation, Variable};

/// The values of a script (.m), of arrays (.mat) or of a table of names and values (.csv).
#[derive(Clone, Debug, Default)]
pub struct GivenValues {
    /// By the names of variables.
    values: BTreeMap<String, Given>,
    /// The assignments that were not read, with the reason.
    pub problems: Vec<String>,
}

#[derive(Clone, Debug)]
struct Given {
    text: String,
    /// The variables that the text uses.
    uses: BTreeSet<String>,
}

impl GivenValues {
    /// Reads a file as `simulate convert --values` does. Nothing of it is run.
    ///
    /// # Errors
    /// If it cannot be read, or is of another kind.
    pub fn read(path: &Path) -> Result<GivenValues, ImportError> {
        let (workspace, problems) = map::values_in(path)?;
        Ok(GivenValues { values: by_variable(&workspace), problems })
    }

    /// Returns the edits that give these values to the variables of a simulation, and the names of those with another
    /// value from then on. A variable that such a value uses is added.
    pub fn edits(&self, simulation: &Simulation) -> (Vec<Edit>, Vec<Arc<str>>) {
        let (mut edits, mut changed) = (Vec::new(), Vec::new());
        let mut ahead: Vec<Arc<str>> = simulation.variables.keys().rev().map(Arc::clone).collect();
        let mut done: BTreeSet<Arc<str>> = BTreeSet::new();
        while let Some(name) = ahead.pop() {
            let Some(given) = self.values.get(&*name).filter(|_| done.insert(Arc::clone(&name))) else { continue };
            ahead.extend(given.uses.iter().map(|used| Arc::from(&**used)));
            let known = simulation.variables.get(&name);
            if known.is_some_and(|known| *known.value == *given.text) {
                continue;
            }
            let known = known.map(|known| Variable::clone(known)).unwrap_or_default();
            let variable = Some(Variable { value: given.text.as_str().into(), ..known });
            edits.push(Edit::SetVariable { model: None, name: Arc::clone(&name), variable });
            changed.push(name);
        }
        (edits, changed)
    }
}

fn by_variable(workspace: &Workspace) -> BTreeMap<String, Given> {
    let given = |name: &str| {
        let uses = workspace.uses(name).map(variable_name).collect();
        Some((variable_name(name), Given { text: workspace.get(name)?.text.clone(), uses }))
    };
    workspace.names().filter_map(given).collect()
}
