//! Truth values of the instance, each loaded once: where `&&` decides whether to load one, compilers write a jump.

use std::collections::BTreeSet;

use super::Writer;
use crate::export::c::expression::Expr;
use crate::export::c::types::Type;
use crate::export::c::variables::{Home, Section, Variables};

/// The loads of a function.
#[derive(Default)]
pub(super) struct Loads {
    /// The numbers of the variables that are loaded.
    loaded: BTreeSet<u32>,
    /// Those that are written, which are not loaded any more.
    written: BTreeSet<u32>,
}

impl Writer<'_, '_> {
    /// The local variable with the value of a cell, if that is a truth value which is loaded; loads it if it may.
    pub(super) fn loaded(&mut self, cell: u32) -> Option<Expr> {
        let Home::Element(number, _) = self.home(cell) else { return None };
        let variable = &self.variables.all[number as usize];
        let is_state = variable.section == Section::States && variable.kind == Type::Truth;
        if !is_state || self.loads.written.contains(&number) {
            return None;
        }
        if !self.loads.loaded.contains(&number) {
            // What is loaded in a block is not there behind it.
            let is_outside = self.text.depth() == 1;
            let is_worth = self.plan.usage.cells[cell as usize].reads > 1;
            if !is_outside || !is_worth || is_taken(self.variables, &variable.name) {
                return None;
            }
            self.loads.loaded.insert(number);
            self.text.line(&format!("const bool {} = {};", variable.name, variable.path()));
        }
        Some(Expr::truth_variable(&variable.name))
    }

    /// The variable changes now.
    pub(super) fn writes_variable(&mut self, number: u32) {
        self.loads.written.insert(number);
    }
}

/// Whether a local variable has this name.
fn is_taken(variables: &Variables, name: &str) -> bool {
    let is_local = |section| matches!(section, Section::Local | Section::Row | Section::Assumed | Section::Rates);
    variables.all.iter().any(|variable| is_local(variable.section) && variable.name == name)
}
