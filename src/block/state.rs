//! The states and delay lines of a block under construction.

use super::{Builder, Expr, Op, RecordRead, Update};

/// A state, with its committed value.
#[derive(Clone, Copy)]
pub struct StateVar<'b> {
    pub value: Expr<'b>,
    pub(super) index: usize,
}

/// A delay line: the last values of a signal.
#[derive(Clone, Copy)]
pub struct History<'b> {
    pub(super) b: &'b Builder<'b>,
    pub(super) index: usize,
}

/// The record of a signal, which a solver of variable step makes at its own steps.
#[derive(Clone, Copy)]
pub struct Record<'b> {
    pub(super) b: &'b Builder<'b>,
    pub(super) index: usize,
    /// The signal.
    pub(super) now: Expr<'b>,
}

impl<'b> StateVar<'b> {
    /// Sets the value of the discrete state in the next step.
    pub fn next(self, value: Expr<'b>) {
        let b = self.value.b;
        b.update(self.index, Update::Next { state: self.index, value: value.reg }, value);
    }

    /// Returns the value of the discrete state, in minor steps that of the next step. A decision that depends on it (on
    /// or off) then holds for the whole step, and the solver sees no jump.
    pub fn held(self) -> Expr<'b> {
        let b = self.value.b;
        b.push(Op::Held(self.index as u32), self.value.width())
    }

    /// Sets the rate of change of the continuous state, per second.
    pub fn derivative(self, value: Expr<'b>) {
        let b = self.value.b;
        b.update(self.index, Update::Derivative { state: self.index, value: value.reg }, value);
    }

    /// Sets the continuous state to `value` from the start of this step on, where `on` is nonzero.
    pub fn jump(self, on: Expr<'b>, value: Expr<'b>) {
        let b = self.value.b;
        b.update(self.index, Update::Jump { state: self.index, on: on.reg, value: value.reg }, value);
    }

    /// Limits the continuous state to `low` and `high` after each step.
    pub fn limit(self, low: Expr<'b>, high: Expr<'b>) {
        let b = self.value.b;
        b.update(self.index, Update::Limit { state: self.index, low: low.reg, high: high.reg }, low);
    }
}

impl<'b> History<'b> {
    /// Returns the value that was pushed `back` steps ago, at least 1.
    pub fn past(self, back: Expr<'b>) -> Expr<'b> {
        let width = self.b.tape.borrow().states[self.index].width;
        self.b.push(Op::Past { history: self.index as u32, back: back.reg }, width)
    }

    /// Pushes a value at the end of each step, for a sampled block at the end of each sample hit.
    pub fn push(self, value: Expr<'b>) {
        let on = self.b.constant(1.0).reg;
        self.b.update(self.index, Update::Push { history: self.index, on, value: value.reg }, value);
    }
}

impl<'b> Record<'b> {
    /// Returns the signal at a time in seconds, which must not be later than the step of the solver begins; at a jump the
    /// value behind it.
    pub fn value(self, at: Expr<'b>) -> Expr<'b> {
        self.read(RecordRead::Value, at)
    }

    /// Returns the signal at a time in seconds up to the current one, on which the result depends directly.
    pub fn value_up_to_now(self, at: Expr<'b>) -> Expr<'b> {
        self.read(RecordRead::ValueUpToNow, at)
    }

    /// Returns the time in seconds of the last jump up to a time; −∞ if the record begins later.
    pub fn jump_before(self, at: Expr<'b>) -> Expr<'b> {
        self.read(RecordRead::JumpBefore, at)
    }

    /// Returns the time in seconds of the first jump after a time; infinite if there is none yet.
    pub fn jump_after(self, at: Expr<'b>) -> Expr<'b> {
        self.read(RecordRead::JumpAfter, at)
    }

    /// Returns the time in seconds of the first jump or kink after a time; infinite if there is none yet.
    pub fn kink_after(self, at: Expr<'b>) -> Expr<'b> {
        self.read(RecordRead::KinkAfter, at)
    }

    /// Returns the time in seconds, up to the current one, at which the first element, which must never fall, has risen to
    /// a level.
    pub fn time_of(self, level: Expr<'b>) -> Expr<'b> {
        self.read(RecordRead::TimeOf, level)
    }

    fn read(self, read: RecordRead, at: Expr<'b>) -> Expr<'b> {
        let width = if read.is_signal() { self.b.tape.borrow().states[self.index].width } else { 1 };
        // Only two kinds of reads reach to the current value; for others it would be a direct feedthrough.
        let now = if matches!(read, RecordRead::ValueUpToNow | RecordRead::TimeOf) { self.now } else { at };
        self.b.push(Op::Recorded { record: self.index as u32, read, at: at.reg, now: now.reg }, width)
    }
}
