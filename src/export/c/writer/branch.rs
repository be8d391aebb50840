//! Conditional and iterated parts as statements.

use std::collections::BTreeSet;

use super::Writer;
use crate::engine::{Branch, Repeat};
use crate::export::c::expression::Expr;
use crate::export::c::number::{literal, unsigned};
use crate::export::c::usage::Item;

impl Writer<'_, '_> {
    /// Writes a conditional or iterated part.
    pub(super) fn branch(&mut self, number: u32) {
        let code = self.plan.code;
        let branch = &code.branches[number as usize];
        let layout = self.plan.layout;
        let changed: BTreeSet<u32> = branch.writes.iter().flat_map(|range| range.cells()).collect();
        self.flush(|cell| changed.contains(&cell));
        let guard = self.value(branch.guard);
        self.text.belongs_to(&[]);
        self.last_units.clear();
        match branch.repeat {
            Some(repeat) => self.repeat((branch, number), repeat, &guard),
            None if branch.body.is_empty() => {
                self.text.line(&format!("if (!{}) {{", guard.is_one_or_more()));
                self.block(&layout.bodies[number as usize][1]);
                self.text.line("}");
            }
            None => {
                self.text.line(&format!("if {} {{", in_parentheses(guard.is_one_or_more())));
                self.block(&layout.bodies[number as usize][0]);
                self.otherwise(number);
            }
        }
    }

    fn otherwise(&mut self, number: u32) {
        let layout = self.plan.layout;
        if !layout.bodies[number as usize][1].is_empty() {
            self.text.line("} else {");
            self.block(&layout.bodies[number as usize][1]);
        }
        self.text.line("}");
    }

    fn block(&mut self, items: &[Item]) {
        self.last_units.clear();
        items.iter().for_each(|item| self.item(item));
        self.text.belongs_to(&[]);
        self.last_units.clear();
    }

    /// Writes a part that may run several times in a step.
    fn repeat(&mut self, (branch, number): (&Branch, u32), repeat: Repeat, guard: &Expr) {
        let layout = self.plan.layout;
        let count = self.number();
        let limit = self.plan.program.subsystems[repeat.subsystem].limit;
        let (count, run, goes_on) = (format!("count_{count}"), format!("run_{count}"), format!("goes_on_{count}"));
        let fault = format!("self->status = {}_STATUS_TOO_MANY_RUNS;", self.plan.macros);
        self.text.line(&format!("const double {count} = {};", guard.text()));
        self.text.line(&format!("if ({count} > {}) {{", literal(limit as f64)));
        self.text.line(&fault);
        self.text.line(&format!("}} else if ({count} >= 1.0) {{"));
        self.text.line(&format!("uint64_t {run} = 0U;"));
        self.text.line(&format!("bool {goes_on} = true;"));
        self.text.line(&format!("while ({goes_on}) {{"));
        if self.plan.usage.cells[repeat.iteration as usize].reads > 0 {
            self.store(repeat.iteration, 1, &Expr::atom(format!("(double){run}")));
        }
        self.block(&layout.bodies[number as usize][0]);
        self.text.line(&format!("{run}++;"));
        match repeat.condition {
            Some(condition) => {
                let condition = self.value(condition);
                self.text.line(&format!("{goes_on} = {} > 0.0;", condition.operand()));
                self.text.line(&format!("if ({goes_on} && ({run} >= {})) {{", unsigned(limit)));
                self.text.line(&fault);
                self.text.line(&format!("{goes_on} = false;"));
                self.text.line("}");
            }
            None => self.text.line(&format!("{goes_on} = {run} < (uint64_t){count};")),
        }
        self.text.line("}");
        match branch.otherwise.is_empty() {
            true => {
                self.text.line("} else {");
                self.text.line("/* It does not run in this step. */");
                self.text.line("}");
            }
            false => self.otherwise(number),
        }
    }
}

/// A condition as `if` needs it.
fn in_parentheses(condition: String) -> String {
    if condition.starts_with('(') { condition } else { format!("({condition})") }
}
