//! What blocks tell: where it lies among the cells, and how it comes out of a machine.

use super::super::fault::Fault;
use super::super::{Context, Samples};
use super::lower::{Lower, copy};
use super::space::UpdateRate;
use super::{Ins, Machine, Opcode, Operand, ReportCells};
use crate::block::Binary;

impl Lower<'_> {
    /// Takes a cell for each report, those of equal units side by side in the order of `lanes`.
    pub fn place_reports(&mut self, lanes: &[Vec<u32>]) {
        let mut reports = Vec::new();
        for (kernel, units) in self.program.kernels.iter().zip(lanes) {
            for report in 0..kernel.reports.len() as u32 {
                reports.extend(units.iter().map(|&unit| (unit, report)));
            }
        }
        if reports.is_empty() {
            return;
        }
        let first = self.space.take(UpdateRate::MajorStep, reports.len() as u32);
        let any = self.space.take(UpdateRate::MajorStep, 1);
        // What a conditional part tells stands here when it has run.
        if !self.program.subsystems.is_empty() {
            let nothing = self.space.constant(0.0);
            self.code.step.push(copy(first, nothing, reports.len() as u32));
        }
        self.reported = reports.iter().copied().zip(first..).collect();
        self.code.reports = Some(ReportCells { any, first, reports });
    }

    /// Notes what a report of units says.
    pub fn report(&mut self, unit: u32, report: u32, from: Operand, lanes: u32) {
        let Some(&cell) = self.reported.get(&(unit, report)) else { return };
        let before = if lanes == 1 { Operand::Broadcast(cell) } else { Operand::Contiguous(cell) };
        self.code.step.push(match self.within.subsystem {
            None => copy(cell, from, lanes),
            // An iterated part may have told it in an earlier run.
            Some(_) => Ins {
                opcode: Opcode::Binary(Binary::Or),
                lanes,
                dst: cell,
                args: [before, from, Operand::Broadcast(0)],
            },
        });
    }

    /// Whether anything was told in the step.
    pub fn any_report(&mut self) {
        let Some(ReportCells { any, first, reports }) = &self.code.reports else { return };
        let (any, first, lanes) = (*any, *first, reports.len() as u32);
        let all = if lanes == 1 { Operand::Broadcast(first) } else { Operand::Contiguous(first) };
        let args = [self.space.constant(0.0), all, Operand::Broadcast(0)];
        self.code.step.push(Ins { opcode: Opcode::Fold(Binary::Or), lanes, dst: any, args });
    }
}

impl Machine {
    /// Hands on what the step told that has just been made.
    pub(super) fn report(&self, samples: &mut Samples) {
        self.report_step(self.step, samples);
    }

    /// Hands on what `step` told, the last that was made.
    pub fn report_step(&self, step: u64, samples: &mut Samples) {
        let Some(report_cells) = &self.code.reports else { return };
        if self.cells[report_cells.any as usize] != 0.0 {
            let reports = report_cells.reports.iter().copied().zip(&self.cells[report_cells.first as usize..]);
            let reported = reports.filter(|(_, cell)| **cell != 0.0).map(|(report, _)| report);
            samples.report(&self.program, step, reported);
        }
    }

    /// Makes the steps again from the context on up to where a block has ended the run, to have the last one's values.
    pub(super) fn last_again(
        &mut self,
        context: &mut Context,
        steps: &mut dyn FnMut(&mut Machine, u64, &mut Samples) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let before_last = self.step - context.step - 1;
        // The samples have these steps already, so all of them are made.
        let mut nobody = Samples::default();
        self.cancel = None;
        self.enter(context);
        steps(self, before_last, &mut nobody)?;
        self.last_step(context, &mut nobody)
    }
}
