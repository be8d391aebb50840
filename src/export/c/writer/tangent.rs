//! The tangents of instructions as statements: from the values of their operands, and the tangents of these.

use super::Writer;
use crate::block::Binary;
use crate::engine::{Branch, Instruction, Opcode, Operand};
use crate::export::c::access::Access;
use crate::export::c::expression::{Expr, binary, select};
use crate::export::c::tangent::{binary_tangent, reads_value, unary_tangent};
use crate::export::c::variables::{Home, Variables};

/// A tangent that is always 0.
const NONE: &str = "0.0";

/// The variables of tangents: cells without one have the tangent 0.
pub struct Slopes<'a> {
    pub variables: &'a Variables,
    /// The variable that has all tangents that are computed.
    pub computed: u32,
}

impl<'a> Writer<'a, '_> {
    /// Writes the tangents of a list.
    pub fn tangents(&mut self, slopes: &Slopes<'a>, list: &[Instruction]) {
        list.iter().for_each(|ins| self.tangent(slopes, ins));
    }

    fn tangent(&mut self, slopes: &Slopes<'a>, ins: &Instruction) {
        if let Opcode::Branch(number) = ins.opcode {
            return self.tangent_branch(slopes, &self.plan.code.branches[number as usize]);
        }
        let home = slopes.variables.homes.get(ins.dst as usize);
        let is_computed = matches!(home, Some(Home::Element(variable, _)) if *variable == slopes.computed);
        if !is_computed || ins.written() == 0 {
            return;
        }
        let units = self.units_of(ins);
        match ins.opcode {
            Opcode::Fold(op) => return self.tangent_fold(slopes, ins, op),
            Opcode::Call { number, reads } => return self.tangent_curve(slopes, ins, number, reads),
            _ => {}
        }
        let value = match ins.opcode {
            Opcode::Copy => self.slope(slopes, ins.args[0], ins.elements).text().to_owned(),
            Opcode::Unary(op) if !op.row().is_flat => {
                let of_args = [self.slope(slopes, ins.args[0], ins.elements).operand()];
                let a = self.value_for(ins, 0, &of_args);
                unary_tangent(op, &a, &of_args[0], self.calls)
            }
            Opcode::Binary(op) if !op.row().is_flat => {
                let of_args = [0, 1].map(|arg| self.slope(slopes, ins.args[arg], ins.elements).operand());
                let [a, b] = [0, 1].map(|arg| self.value_for(ins, arg, &of_args));
                binary_tangent(op, [&a, &b], [&of_args[0], &of_args[1]], self.calls)
            }
            Opcode::Select => {
                let [yes, no] = [1, 2].map(|arg| self.slope(slopes, ins.args[arg], ins.elements));
                if yes.text() == NONE && no.text() == NONE {
                    NONE.to_owned()
                } else {
                    let on = self.access(ins.args[0], ins.elements).at("i");
                    select(&on, &yes, &no).text().to_owned()
                }
            }
            Opcode::Pick { count } => {
                let at = self.access(ins.args[1], ins.elements).at("i");
                let cells = self.cells(ins.args[0], if let Operand::Broadcast(_) = ins.args[0] { 1 } else { count });
                self.calls.insert("index");
                let at = format!("simulate_index({}, {}U)", at.text(), count - 1);
                self.of_slopes(slopes, |writer| writer.rows(&cells)).at(&at).text().to_owned()
            }
            // Comparisons, random numbers, the clock and past values have no tangent.
            _ => NONE.to_owned(),
        };
        self.comment(&units);
        self.of_slopes(slopes, |writer| writer.store(ins.dst, ins.elements, &Expr::atom(value)));
    }

    /// Writes copies of tangents to elements of an array for each continuous state.
    pub fn tangents_to_states(&mut self, slopes: &Slopes<'a>, copies: &[(String, u32, u32)]) {
        self.of_slopes(slopes, |writer| writer.copies_to_states(copies));
    }

    /// Reads and writes tangents in place of values.
    fn of_slopes<T>(&mut self, slopes: &Slopes<'a>, act: impl FnOnce(&mut Self) -> T) -> T {
        let values = std::mem::replace(&mut self.variables, slopes.variables);
        let made = act(self);
        self.variables = values;
        made
    }

    fn slope(&mut self, slopes: &Slopes<'a>, operand: Operand, elements: u32) -> Expr {
        self.of_slopes(slopes, |writer| writer.access(operand, elements)).at("i")
    }

    /// An element of an operand and its tangent.
    fn both(&mut self, slopes: &Slopes<'a>, operand: Operand, elements: u32) -> [String; 2] {
        let value = self.access(operand, elements).at("i");
        [value.operand(), self.slope(slopes, operand, elements).operand()]
    }

    /// An element of an operand, if the tangent of the instruction is computed from it; `of_args` are the tangents of its
    /// operands.
    fn value_for(&mut self, ins: &Instruction, arg: usize, of_args: &[String]) -> String {
        match of_args.iter().all(|tangent| tangent == NONE) || !reads_value(ins.opcode, arg) {
            true => NONE.to_owned(),
            false => self.access(ins.args[arg], ins.elements).at("i").operand(),
        }
    }

    fn tangent_branch(&mut self, slopes: &Slopes<'a>, branch: &Branch) {
        let guard = self.value(branch.guard);
        self.text.belongs_to(&[]);
        self.last_units.clear();
        self.text.line(&format!("if ({} >= 1.0) {{", guard.operand()));
        self.tangents(slopes, &branch.body);
        self.last_units.clear();
        self.text.line("} else {");
        self.tangents(slopes, &branch.otherwise);
        self.text.belongs_to(&[]);
        self.last_units.clear();
        self.text.line("}");
    }

    /// Writes the tangent of a fold, in which the tangents of the elements follow those of the values.
    fn tangent_fold(&mut self, slopes: &Slopes<'a>, ins: &Instruction, op: Binary) {
        let units = self.units_of(ins);
        let is_neutral = match (ins.args[0], op.neutral()) {
            (Operand::Broadcast(cell), Some(neutral)) => {
                matches!(self.home(cell), Home::Constant(value) if value.to_bits() == neutral.to_bits())
            }
            _ => false,
        };
        let [start, of_start] = self.both(slopes, ins.args[0], 1);
        let values = self.access(ins.args[1], ins.elements);
        let tangents = self.of_slopes(slopes, |writer| writer.access(ins.args[1], ins.elements));
        let at = |access: &Access, at: &str| access.at(at).operand();
        // A neutral start value, which is there only for convenience, has no tangent.
        let (start, of_start, first) = match is_neutral {
            true => (at(&values, "0U"), at(&tangents, "0U"), 1),
            false => (start, of_start, 0),
        };
        let arrays = std::mem::take(&mut self.gathered);
        self.comment(&units);
        self.text.line("{");
        arrays.iter().for_each(|array| self.text.line(array));
        self.text.line(&format!("double total = {start};"));
        self.text.line(&format!("double slope = {of_start};"));
        self.text.line(&format!("for (uint32_t i = {first}U; i < {}U; i++) {{", ins.elements));
        let (value, tangent) = (at(&values, "i"), at(&tangents, "i"));
        let slope = binary_tangent(op, ["total", &value], ["slope", &tangent], self.calls);
        self.text.line(&format!("slope = {slope};"));
        let next = binary(op, &Expr::atom("total"), &Expr::atom(value), self.calls);
        self.text.line(&format!("total = {};", next.text()));
        self.text.line("}");
        self.of_slopes(slopes, |writer| writer.store(ins.dst, 1, &Expr::atom("slope")));
        self.text.line("}");
    }

    fn tangent_curve(&mut self, slopes: &Slopes<'a>, ins: &Instruction, number: u32, reads: u32) {
        let units = self.units_of(ins);
        let Some(time) = self.cells(ins.args[0], reads).get(1).copied() else { return };
        let [time, of_time] = self.both(slopes, Operand::Broadcast(time), 1);
        self.comment(&units);
        self.calls.insert("curve_slope");
        for (element, column) in (0..ins.elements).zip(self.curve_arguments(number)) {
            let value = format!("simulate_curve_slope({time}, {of_time}, {column})");
            self.of_slopes(slopes, |writer| writer.store(ins.dst + element, 1, &Expr::atom(value)));
        }
    }
}
