//! What a block remembers, as its mathematics sees it.

use super::{Builder, Expr, Op, Update};

/// A state and its value as committed.
#[derive(Clone, Copy)]
pub struct State<'b> {
    pub value: Expr<'b>,
    pub(super) index: usize,
}

/// The last values of a signal.
#[derive(Clone, Copy)]
pub struct History<'b> {
    pub(super) b: &'b Builder<'b>,
    pub(super) index: usize,
}

impl<'b> State<'b> {
    /// The discrete state's value in the next step.
    pub fn next(self, value: Expr<'b>) {
        let b = self.value.b;
        b.update(self.index, Update::Next { state: self.index, value: value.reg }, value);
    }

    /// The discrete state's value; in a solver's later stages the one it will have in the next step. What a block
    /// decides by it (on or off) then stays decided for the whole step, and the solver sees no jump.
    pub fn held(self) -> Expr<'b> {
        let b = self.value.b;
        b.push(Op::Held(self.index as u32), self.value.width())
    }

    /// The continuous state's rate of change, per second.
    pub fn derivative(self, value: Expr<'b>) {
        let b = self.value.b;
        b.update(self.index, Update::Derivative { state: self.index, value: value.reg }, value);
    }

    /// Sets the continuous state to `value` from this step's begin on, where `on` is not zero.
    pub fn jump(self, on: Expr<'b>, value: Expr<'b>) {
        let b = self.value.b;
        b.update(self.index, Update::Jump { state: self.index, on: on.reg, value: value.reg }, value);
    }

    /// Keeps the continuous state between the two after each step.
    pub fn limit(self, low: Expr<'b>, high: Expr<'b>) {
        let b = self.value.b;
        b.update(self.index, Update::Limit { state: self.index, low: low.reg, high: high.reg }, low);
    }
}

impl<'b> History<'b> {
    /// What was pushed `back` steps ago, at least 1.
    pub fn past(self, back: Expr<'b>) -> Expr<'b> {
        let width = self.b.tape.borrow().states[self.index].width;
        self.b.push(Op::Past { history: self.index as u32, back: back.reg }, width)
    }

    /// Notes a value at the end of each step; of a sampled block at the end of each of its hits.
    pub fn push(self, value: Expr<'b>) {
        let on = self.b.constant(1.0).reg;
        self.b.update(self.index, Update::Push { history: self.index, on, value: value.reg }, value);
    }
}
