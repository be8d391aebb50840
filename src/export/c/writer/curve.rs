//! Curves through the rows of files: the rows are tables of constants.

use super::Writer;
use crate::block::{Extrapolation, Interpolation};
use crate::engine::Instruction;
use crate::export::c::expression::Expr;
use crate::export::c::number::literal;

impl Writer<'_, '_> {
    /// Writes the interpolation of each column at a time.
    pub(super) fn curve(&mut self, number: u32, reads: u32, ins: &Instruction) {
        let Some(time) = self.cells(ins.args[0], reads).get(1).copied() else { return };
        self.before(ins);
        let units = self.units_of(ins);
        if ins.elements > 1 {
            // It is not computed again for each column.
            self.settle(&[time]);
        }
        let time = self.value(time);
        self.comment(&units);
        self.calls.insert("curve");
        for (element, column) in (0..ins.elements).zip(self.curve_arguments(number)) {
            self.store(ins.dst + element, 1, &Expr::atom(format!("simulate_curve({}, {column})", time.text())));
        }
    }

    /// Returns for each column the arguments of the function `simulate_curve` after the time.
    pub(super) fn curve_arguments(&mut self, number: u32) -> Vec<String> {
        let (call, _) = &self.plan.code.calls[number as usize];
        let Some(curve) = call.0.curve() else { return Vec::new() };
        let interpolation = match curve.interpolation {
            Interpolation::Linear => "SIMULATE_LINEAR",
            Interpolation::Hold => "SIMULATE_HOLD",
            Interpolation::Nearest => "SIMULATE_NEAREST",
        };
        let (outside, limit) = match curve.extrapolation {
            Extrapolation::Hold => ("SIMULATE_OUTSIDE_HOLD", 0.0),
            Extrapolation::Zero(slack) => ("SIMULATE_OUTSIDE_ZERO", slack),
            Extrapolation::Extrapolate => ("SIMULATE_OUTSIDE_EXTRAPOLATE", 0.0),
            Extrapolation::Repeat(period) => ("SIMULATE_OUTSIDE_REPEAT", period),
        };
        let mut table = |values: &[f64]| self.tables.of("double", values.iter().map(|value| literal(*value)).collect());
        let times = table(&curve.times);
        let columns: Vec<String> = curve.columns.iter().map(|column| table(column)).collect();
        let (rows, limit) = (curve.times.len(), literal(limit));
        let arguments =
            columns.iter().map(|column| format!("{times}, {column}, {rows}U, {interpolation}, {outside}, {limit}"));
        arguments.collect()
    }
}
