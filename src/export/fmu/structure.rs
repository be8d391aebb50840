//! Which variables depend on which: for an importer that sorts the equations of several FMUs, or differentiates.

use std::collections::{BTreeMap, BTreeSet};

use super::variables::{Role, Variable};
use super::{Parts, Version};

/// A variable that is computed, with the positions of those that it depends on: in FMI 2 among the variables from 1, in
/// FMI 3 value references; `None` if that is not known.
pub struct Unknown {
    pub position: u32,
    pub dependencies: Option<Vec<u32>>,
}

/// The variables that a role computes while the model runs: from inputs and states.
pub fn unknowns(parts: &Parts, role: Role) -> Vec<Unknown> {
    let known = |variable: &Variable| matches!(variable.role, Role::Input | Role::State);
    found(parts, &[role], &known)
}

/// The variables that are computed at the initialization: from inputs and parameters. A state depends on all parameters.
pub fn initial_unknowns(parts: &Parts) -> Vec<Unknown> {
    let roles: &[Role] =
        if parts.continuous.is_some() { &[Role::Output, Role::State, Role::Rate] } else { &[Role::Output] };
    let mut unknowns = found(parts, roles, &|_| false);
    // States and what depends on them follow from the initial values, which may depend on anything.
    unknowns.iter_mut().for_each(|unknown| unknown.dependencies = None);
    unknowns
}

fn found(parts: &Parts, roles: &[Role], is_known: &dyn Fn(&Variable) -> bool) -> Vec<Unknown> {
    let positions = Positions::new(parts);
    let all = parts.variables.all.iter().enumerate();
    let of_roles = all.filter(|(_, variable)| roles.contains(&variable.role));
    of_roles
        .map(|(index, variable)| Unknown {
            position: positions.of(index, variable),
            dependencies: positions.dependencies(parts, variable, is_known),
        })
        .collect()
}

/// From the values of an instance to the elements of the array of the continuous code, and to the positions in the
/// description.
struct Positions {
    version: Version,
    /// By cell: the index of the variable.
    by_cell: BTreeMap<u32, usize>,
}

impl Positions {
    fn new(parts: &Parts) -> Positions {
        let mut by_cell = BTreeMap::new();
        for (index, variable) in parts.variables.all.iter().enumerate() {
            if matches!(variable.role, Role::Input | Role::Parameter | Role::State) {
                for element in 0..variable.width {
                    by_cell.extend(super::glue::cell_of(parts, variable, element).map(|cell| (cell, index)));
                }
            }
        }
        Positions { version: parts.version, by_cell }
    }

    fn of(&self, index: usize, variable: &Variable) -> u32 {
        match self.version {
            Version::Two => index as u32 + 1,
            Version::Three => variable.first,
        }
    }

    fn dependencies(
        &self,
        parts: &Parts,
        variable: &Variable,
        is_known: &dyn Fn(&Variable) -> bool,
    ) -> Option<Vec<u32>> {
        let known = parts.continuous?.dependencies.as_ref()?;
        let mut found = BTreeSet::new();
        for element in 0..variable.width {
            let cells = known.get(&super::glue::cell_of(parts, variable, element)?)?;
            for index in cells.iter().filter_map(|cell| self.by_cell.get(cell)) {
                let other = &parts.variables.all[*index];
                if is_known(other) {
                    found.insert(self.of(*index, other));
                }
            }
        }
        Some(found.into_iter().collect())
    }
}
