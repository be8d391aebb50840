//! The states and delay lines of a block under construction.

use super::{Builder, Expr, Op, Update};

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
