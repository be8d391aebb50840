//! Restricts a block to its sample hits: between them its outputs and states hold.

use super::kernel::Reach;
use super::{Builder, Clock, Expr, Op, SampleTime, StateKind, Update};

impl<'b> Builder<'b> {
    /// Extends a finished tape so that the block acts at the hits of `sample` only.
    ///
    /// Its outputs also hold in minor steps. Outputs that depend on discrete states alone need no hold if every step is
    /// a hit.
    pub(super) fn act_at(&'b self, sample: SampleTime) {
        let hit = (sample != SampleTime::EVERY).then(|| self.clock(Clock::Hit(sample)));
        let updates = std::mem::take(&mut self.tape.borrow_mut().updates);
        for index in 0..self.output_count() {
            let Some(reg) = self.tape.borrow().outputs[index] else { continue };
            if hit.is_some() || self.changes_within_step(reg) {
                let mut held = self.held(hit, Expr { b: self, reg });
                // The first step of a conditional model may be one between two hits.
                let may_begin_between_hits = sample.offset > 0 || self.is_intermittent();
                let early = hit.filter(|_| may_begin_between_hits).zip(self.early_value(index, reg));
                if let Some((hit, early)) = early {
                    let has_begun = self.latch(1, 0.0, |before| before.or(hit));
                    held = self.select(has_begun, held, early);
                }
                self.output(index, held);
            }
        }
        for update in updates {
            let update = hit.map_or(update, |hit| self.at_hits(hit, update));
            self.tape.borrow_mut().updates.push(update);
        }
        let reports = std::mem::take(&mut self.tape.borrow_mut().reports);
        for mut report in reports {
            if let Some(hit) = hit {
                report.reg = hit.and(Expr { b: self, reg: report.reg }).reg;
            }
            self.tape.borrow_mut().reports.push(report);
        }
    }

    /// Returns the value at a hit, else that of the last hit.
    fn held(&'b self, hit: Option<Expr<'b>>, value: Expr<'b>) -> Expr<'b> {
        let held = self.state(value.width(), self.constant(0.0));
        let major = self.clock(Clock::Major);
        let now = self.select(hit.map_or(major, |hit| hit.and(major)), value, held.held());
        held.next(now);
        now
    }

    /// Returns the value of an output before the first hit: the one that was set, or its own where it depends on states
    /// and parameters alone, since states hold until then. Without one it is 0.
    fn early_value(&'b self, index: usize, reg: u32) -> Option<Expr<'b>> {
        let tape = self.tape.borrow();
        let moves = |&reg: &u32| match tape.ops[reg as usize] {
            Op::Input(_) | Op::Ran(_) | Op::Clock(_) | Op::Held(_) => true,
            Op::State(state) => tape.states[state as usize].kind != StateKind::Discrete,
            _ => false,
        };
        let is_still = || !Reach { ops: &tape.ops }.from(std::iter::once(reg)).iter().any(moves);
        let own = tape.early[index].or_else(|| is_still().then_some(reg));
        own.map(|reg| Expr { b: self, reg })
    }

    fn at_hits(&'b self, hit: Expr<'b>, update: Update) -> Update {
        match update {
            Update::Next { state, value } => {
                let width = self.tape.borrow().states[state].width;
                let stays = self.push(Op::State(state as u32), width);
                let value = self.select(hit, Expr { b: self, reg: value }, stays);
                Update::Next { state, value: value.reg }
            }
            Update::Push { history, on, value } => {
                let on = hit.and(Expr { b: self, reg: on });
                Update::Push { history, on: on.reg, value }
            }
            Update::Derivative { .. } | Update::Jump { .. } | Update::Limit { .. } | Update::Record { .. } => {
                panic!("a sampled block has neither a continuous state nor a record")
            }
        }
    }

    /// Whether the value may change in minor steps.
    fn changes_within_step(&self, reg: u32) -> bool {
        let tape = self.tape.borrow();
        let changes = |&reg: &u32| match tape.ops[reg as usize] {
            Op::Input(_) | Op::Clock(Clock::Time | Clock::Major) | Op::Held(_) => true,
            Op::State(state) => tape.states[state as usize].kind == StateKind::Continuous,
            _ => false,
        };
        Reach { ops: &tape.ops }.from(std::iter::once(reg)).iter().any(changes)
    }
}
