//! Loops whose turns compute an element of several rows.

use std::collections::BTreeSet;

use super::{LONGEST, Pending, Writer};
use crate::engine::{Instruction, Opcode, UnitId};
use crate::export::c::access::index;
use crate::export::c::expression::{Expr, binary};
use crate::export::c::layout::Loop;
use crate::export::c::text::Text;
use crate::export::c::types::Type;
use crate::export::c::variables::{Home, Section};

/// The variable that a fold adds up in.
struct Total {
    ins: Instruction,
    name: String,
    /// Whether it is the variable of the result.
    is_result: bool,
}

impl Writer<'_, '_> {
    /// Writes a loop. What it reads from outside is written before it.
    pub(super) fn turns(&mut self, of: &Loop) {
        let Loop { elements, list } = of;
        let written: BTreeSet<u32> = list.iter().flat_map(|ins| ins.dst..ins.dst + ins.written()).collect();
        self.flush(|cell| written.contains(&cell));
        let mut read = BTreeSet::new();
        list.iter().for_each(|ins| {
            self.plan.code.each_read(ins, |cell, _| {
                read.insert(cell);
            });
        });
        self.settle(&read.into_iter().collect::<Vec<_>>());
        let units = self.units_of_all(list);
        self.comment(&units);
        list.iter().filter(|ins| !matches!(ins.opcode, Opcode::Fold(_))).for_each(|ins| self.declare_row(ins));
        let folds = list.iter().filter(|ins| matches!(ins.opcode, Opcode::Fold(_)));
        let totals: Vec<Total> = folds.map(|ins| self.total(ins)).collect();
        let inner = Text::new(self.text.depth() + 1);
        let outer = std::mem::replace(&mut self.text, inner);
        for ins in list {
            match totals.iter().find(|total| total.ins.dst == ins.dst) {
                Some(Total { name, .. }) => self.add_up(ins, name),
                None => self.turn(ins),
            }
        }
        let body = std::mem::replace(&mut self.text, outer);
        let arrays = std::mem::take(&mut self.gathered);
        let has_block = !arrays.is_empty();
        if has_block {
            self.text.line("{");
            arrays.iter().for_each(|array| self.text.line(array));
        }
        self.text.line(&format!("for (uint32_t i = 0U; i < {elements}U; i++) {{"));
        self.text.append_within(body, usize::from(has_block));
        self.text.line("}");
        if has_block {
            self.text.line("}");
        }
        for Total { ins, name, is_result } in totals {
            if !is_result {
                self.store(ins.dst, 1, &Expr::atom(name));
            }
        }
        self.last_units.clear();
    }

    fn units_of_all(&self, list: &[Instruction]) -> Vec<UnitId> {
        let mut units: Vec<UnitId> = Vec::new();
        let mut known = BTreeSet::new();
        for unit in list.iter().flat_map(|ins| self.units_of(ins)) {
            if known.insert(unit) {
                units.push(unit);
            }
        }
        units
    }

    /// Declares the local array that a row is in.
    fn declare_row(&mut self, ins: &Instruction) {
        let Home::Element(number, _) = self.home(ins.dst) else { return };
        let variable = &self.variables.all[number as usize];
        if variable.section == Section::Local && variable.is_array() && self.declared.insert(number) {
            self.text.line(&format!("double {}[{}];", variable.name, variable.width));
        }
    }

    /// Declares the variable of a fold with its first value.
    fn total(&mut self, ins: &Instruction) -> Total {
        let start = self.access(ins.args[0], 1).at("i");
        let own = match self.home(ins.dst) {
            Home::Element(number, _) => {
                let variable = &self.variables.all[number as usize];
                let is_free =
                    variable.section == Section::Local && !variable.is_array() && variable.kind == Type::Number;
                (is_free && self.declared.insert(number)).then(|| variable.name.clone())
            }
            _ => None,
        };
        let is_result = own.is_some();
        let name = own.unwrap_or_else(|| format!("total_{}", self.number()));
        self.text.line(&format!("double {name} = {};", start.text()));
        Total { ins: *ins, name, is_result }
    }

    fn add_up(&mut self, ins: &Instruction, name: &str) {
        let Opcode::Fold(op) = ins.opcode else { return };
        let element = self.access(ins.args[1], ins.elements).at("i");
        let next = binary(op, &Expr::atom(name), &element, self.calls);
        self.text.line(&format!("{name} = {};", next.text()));
    }

    /// Writes an element of a row.
    fn turn(&mut self, ins: &Instruction) {
        let (first, elements) = (ins.dst, ins.elements);
        let reads = self.reads(ins);
        let expr = self.expression(ins);
        // What waits is read in this turn, before it changes.
        self.flush_rows(first, elements);
        let Home::Element(number, offset) = self.home(first) else { return };
        let variable = &self.variables.all[number as usize];
        if variable.section != Section::Row {
            let path = variable.path();
            return self.text.line(&format!("{path}[{}] = {};", index(offset, 1, "i"), expr.text()));
        }
        let is_named = self.plan.owners.range(first..first + elements).next().is_some();
        if !is_named && expr.text().len() <= LONGEST && self.plan.usage.is_read_once(first, elements) {
            let units = Vec::new();
            self.pending.push(Pending { first, elements, expr, reads, units });
            return;
        }
        self.text.line(&format!("const double {} = {};", variable.name, expr.text()));
    }

    /// Writes the expressions that read a row which changes now.
    fn flush_rows(&mut self, first: u32, elements: u32) {
        let is_late = |pending: &Pending| pending.reads.range(first..first + elements).next().is_some();
        while let Some(index) = self.pending.iter().position(is_late) {
            let Pending { first, expr, .. } = self.pending.remove(index);
            if let Home::Element(number, _) = self.home(first) {
                let name = &self.variables.all[number as usize].name;
                self.text.line(&format!("const double {name} = {};", expr.text()));
            }
        }
    }
}
