//! Assertion reports of blocks: their cells, and how they leave the machine.

use super::lower::space::UpdateRate;
use super::lower::{Lower, copy};
use super::{Instruction, Machine, Opcode, Operand, ReportCells};
use crate::block::Binary;
use crate::engine::program::assertion::ReportRef;
use crate::engine::program::fault::Fault;
use crate::engine::{Context, KernelMap, Samples, UnitId};

impl Lower<'_> {
    /// Allocates a cell for each report; those of equal units are adjacent, in the order of `kernel_units`.
    pub fn place_reports(&mut self, kernel_units: &KernelMap<Vec<UnitId>>) {
        let mut reports = Vec::new();
        for (kernel, units) in self.program.kernels.values().zip(kernel_units.values()) {
            for report in 0..kernel.reports.len() as u32 {
                reports.extend(units.iter().map(|&unit| ReportRef { unit, report }));
            }
        }
        if reports.is_empty() {
            return;
        }
        let first = self.space.take(UpdateRate::MajorStep, reports.len() as u32);
        let any = self.space.take(UpdateRate::MajorStep, 1);
        // A conditional subsystem sets these only if it runs.
        if !self.program.subsystems.is_empty() {
            let nothing = self.space.constant(0.0);
            self.code.step.push(copy(first, nothing, reports.len() as u32));
        }
        self.reported = reports.iter().copied().zip(first..).collect();
        self.code.reports = Some(ReportCells { any, first, reports });
    }

    /// Copies the values of a report of some units to its cells.
    pub fn report(&mut self, unit: UnitId, report: u32, from: Operand, elements: u32) {
        let Some(&cell) = self.reported.get(&ReportRef { unit, report }) else { return };
        let before = if elements == 1 { Operand::Broadcast(cell) } else { Operand::Contiguous(cell) };
        self.code.step.push(match self.within.subsystem {
            None => copy(cell, from, elements),
            // An earlier iteration of the subsystem may have reported it.
            Some(_) => Instruction {
                opcode: Opcode::Binary(Binary::Or),
                elements,
                dst: cell,
                args: [before, from, Operand::Broadcast(0)],
            },
        });
    }

    /// Computes whether any assertion is reported in the step.
    pub fn any_report(&mut self) {
        let Some(ReportCells { any, first, reports }) = &self.code.reports else { return };
        let (any, first, elements) = (*any, *first, reports.len() as u32);
        let all = if elements == 1 { Operand::Broadcast(first) } else { Operand::Contiguous(first) };
        let args = [self.space.constant(0.0), all, Operand::Broadcast(0)];
        self.code.step.push(Instruction { opcode: Opcode::Fold(Binary::Or), elements, dst: any, args });
    }
}

impl Machine {
    /// Passes on the reports of the step just made.
    pub(super) fn report(&self, samples: &mut Samples) {
        self.report_step(self.step, samples);
    }

    /// Passes on the reports of `step`, the last step made.
    pub fn report_step(&self, step: u64, samples: &mut Samples) {
        let Some(report_cells) = &self.code.reports else { return };
        if self.cells[report_cells.any as usize] != 0.0 {
            let reports = report_cells.reports.iter().copied().zip(&self.cells[report_cells.first as usize..]);
            let reported = reports.filter(|(_, cell)| **cell != 0.0).map(|(report, _)| report);
            samples.report(&self.program, step, reported);
        }
    }

    /// Repeats the steps from the context up to the one in which a block ended the run, to get the values of that step.
    pub(super) fn last_again(
        &mut self,
        context: &mut Context,
        steps: &mut dyn FnMut(&mut Machine, u64, &mut Samples) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let before_last = self.step - context.step - 1;
        // The samples of these steps were already taken.
        let mut nobody = Samples::default();
        self.cancel = None;
        self.enter(context);
        steps(self, before_last, &mut nobody)?;
        self.last_step(context, &mut nobody)
    }
}
