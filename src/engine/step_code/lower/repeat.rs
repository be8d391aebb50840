//! Blocks that set their outputs several times in a step: the last iteration as a branch, see [`Repeats`].
//!
//! The results of the blocks in these branches are not used elsewhere, so that the branches come last.

use super::batch::run;
use super::space::UpdateRate;
use super::{Lower, SubsystemContext};
use crate::block::{Binary, Unary};
use crate::engine::UnitId;
use crate::engine::compile::repeats::{RepeatBlock, RepeatedRegion};
use crate::engine::step_code::{Branch, Instruction, Opcode, Operand};

/// The cells of a block that sets its outputs several times.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::step_code) struct IterationCells {
    /// The number of iterations, which may also be negative or NaN.
    pub count: u32,
    /// The number of the last one.
    pub last: u32,
}

impl Lower<'_> {
    /// Generates the number of iterations of a unit.
    pub(in crate::engine::step_code) fn iterations(&mut self, unit: UnitId) {
        let kernel = self.program.kernel(&self.program.units[unit]);
        let Some(iterations) = &kernel.iterations else { return };
        let units = [unit];
        let batch = self.write(kernel, &units, &iterations.list);
        let wanted = batch.value(iterations.reg).arg;
        let one = self.space.constant(1.0);
        let count = self.scalar(Opcode::Unary(Unary::Floor), [wanted, wanted]);
        let last = self.scalar(Opcode::Binary(Binary::Sub), [run(count, 1), one]);
        self.iteration_cells.insert(unit, IterationCells { count, last });
    }

    /// Generates the last iteration of a region, if each of its blocks with iterations has any.
    pub(in crate::engine::step_code) fn repeated(&mut self, region: &RepeatedRegion) {
        let cells: Vec<(IterationCells, RepeatBlock)> = region
            .repeats
            .iter()
            .filter_map(|repeat| Some((*self.iteration_cells.get(&repeat.unit)?, *repeat)))
            .collect();
        let guard = self.all_iterate(&cells);
        let mark = self.space.mark();
        let outer_ends = std::mem::take(&mut self.ends);
        let outer = std::mem::take(&mut self.code.step);
        let within = SubsystemContext { is_conditional: true, mark, ..self.within };
        let around = std::mem::replace(&mut self.within, within);
        let executed = std::mem::take(&mut self.code.executed);
        if let [(own, repeat)] = cells[..] {
            self.within.iteration = Some(own.last);
            let kernel = self.program.kernel(&self.program.units[repeat.unit]);
            self.run_batch(kernel, &[repeat.unit]);
            self.within.iteration = around.iteration;
        }
        self.run_units(&region.units);
        let ends = std::mem::replace(&mut self.ends, outer_ends);
        let executed_inside = std::mem::replace(&mut self.code.executed, executed);
        let again = cells.iter().map(|(own, repeat)| (own.last, repeat.executed)).collect();
        let mut branch = Branch { guard, executed: executed_inside, again, ..Branch::default() };
        self.rates(&mut branch, &ends);
        branch.body = std::mem::replace(&mut self.code.step, outer);
        self.ends_of(guard, ends, None);
        self.within = around;
        let ins = self.branch(branch);
        self.code.step.push(ins);
    }

    /// Returns the cell that is 1 or more if all of these have an iteration.
    fn all_iterate(&mut self, cells: &[(IterationCells, RepeatBlock)]) -> u32 {
        let one = self.space.constant(1.0);
        let mut all = None;
        for (own, _) in cells {
            let Some(before) = all else {
                all = Some(own.count);
                continue;
            };
            let iterates = |lower: &mut Self, cell| lower.scalar(Opcode::Binary(Binary::Ge), [run(cell, 1), one]);
            let (before, own) = (iterates(self, before), iterates(self, own.count));
            all = Some(self.scalar(Opcode::Binary(Binary::And), [run(before, 1), run(own, 1)]));
        }
        all.unwrap_or_else(|| self.space.constant(0.0).cell(&[], 0))
    }

    /// Generates an instruction with a single result, and returns its cell.
    fn scalar(&mut self, opcode: Opcode, [a, b]: [Operand; 2]) -> u32 {
        let dst = self.space.take(UpdateRate::MajorStep, 1);
        self.code.step.push(Instruction { opcode, elements: 1, dst, args: [a, b, Operand::Broadcast(0)] });
        dst
    }
}
