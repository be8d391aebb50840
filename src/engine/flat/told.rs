//! What blocks tell: where it lies among the cells, and how it comes out of a machine.

use super::super::fault::Fault;
use super::super::{Context, Samples};
use super::lower::{Lower, copy};
use super::space::Class;
use super::{Act, Arg, Ins, Machine, Tells};
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
        let first = self.space.take(Class::Step, reports.len() as u32);
        let any = self.space.take(Class::Step, 1);
        // What a conditional part tells stands here when it has run.
        if !self.program.regions.is_empty() {
            let nothing = self.space.constant(0.0);
            self.code.step.push(copy(first, nothing, reports.len() as u32));
        }
        self.told = reports.iter().copied().zip(first..).collect();
        self.code.told = Some(Tells { any, first, reports });
    }

    /// Notes what a report of units says.
    pub fn report(&mut self, unit: u32, report: u32, from: Arg, lanes: u32) {
        let Some(&cell) = self.told.get(&(unit, report)) else { return };
        let before = if lanes == 1 { Arg::One(cell) } else { Arg::Run(cell) };
        self.code.step.push(match self.within.region {
            None => copy(cell, from, lanes),
            // An iterated part may have told it in an earlier run.
            Some(_) => Ins { act: Act::Binary(Binary::Or), lanes, dst: cell, args: [before, from, Arg::One(0)] },
        });
    }

    /// Whether anything was told in the step.
    pub fn any_report(&mut self) {
        let Some(Tells { any, first, reports }) = &self.code.told else { return };
        let (any, first, lanes) = (*any, *first, reports.len() as u32);
        let all = if lanes == 1 { Arg::One(first) } else { Arg::Run(first) };
        let args = [self.space.constant(0.0), all, Arg::One(0)];
        self.code.step.push(Ins { act: Act::Fold(Binary::Or), lanes, dst: any, args });
    }
}

impl Machine {
    /// Hands on what the step told that has just been made.
    pub(super) fn tell(&self, samples: &mut Samples) {
        self.tell_of(self.step, samples);
    }

    /// Hands on what `step` told, the last that was made.
    pub fn tell_of(&self, step: u64, samples: &mut Samples) {
        let Some(tells) = &self.code.told else { return };
        if self.cells[tells.any as usize] != 0.0 {
            let reports = tells.reports.iter().copied().zip(&self.cells[tells.first as usize..]);
            let told = reports.filter(|(_, cell)| **cell != 0.0).map(|(report, _)| report);
            samples.tell(&self.program, step, told);
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
