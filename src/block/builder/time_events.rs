//! Announcements of a source to solvers of variable step: when it jumps, when it has a kink, how fast it changes.
//!
//! A solver that sees a source at both ends of a long step does not know what it does in between. Other solvers ignore
//! all of this: for them a source jumps at the start of a step.

use super::{Builder, Expr};

impl<'b> Builder<'b> {
    /// The fraction of the time within which an edge counts as reached: times are rounded.
    const SLACK: f64 = 32.0 * f64::EPSILON;

    /// Returns the time in seconds at which a source decides which of its pieces is valid: with a solver of variable step
    /// the time of the decision, with others the start of the step.
    ///
    /// ```
    /// # use simulate::block::Builder;
    /// fn square_wave(b: &Builder) {
    ///     let period = b.param("Period");
    ///     let cycle = (b.time_of_decision() / period).floor();
    ///     b.edge((cycle + 1.0) * period);
    ///     b.output(0, b.settled(cycle.modulo(2.0)));
    /// }
    /// ```
    pub fn time_of_decision(&'b self) -> Expr<'b> {
        if !self.locates() {
            return self.step_time();
        }
        let now = self.time();
        now + now.abs() * Self::SLACK
    }

    /// Returns [`Builder::time_of_decision`] since another time.
    pub fn decided_since(&'b self, origin: Expr<'b>) -> Expr<'b> {
        let since = self.time_of_decision() - origin;
        if self.locates() { since + origin.abs() * Self::SLACK } else { since }
    }

    /// Returns the current time, but one before `edge` until that is decided: a curve with a jump there then has its value
    /// before the jump to the end of the step.
    pub fn time_before(&'b self, edge: Expr<'b>) -> Expr<'b> {
        if !self.locates() {
            return self.time();
        }
        let edge = self.settled(edge);
        // Rounding must not lead back to before an edge that is decided.
        (self.time() * (1.0 + 2.0 * Self::SLACK)).min(edge * (1.0 - f64::EPSILON))
    }

    /// Announces the next time in seconds at which the block jumps: infinite or not-a-number if it never does. A solver of
    /// variable step ends a step exactly there, lets modes change, and starts again. The time must be later than that of
    /// [`Builder::time_of_decision`], and is read where modes may change; what jumps must be a decision, such as
    /// [`Builder::settled`].
    pub fn edge(&'b self, next: Expr<'b>) {
        if self.locates() {
            let next = self.settled(next);
            self.tape.borrow_mut().time_events.edges.push(next.reg);
        }
    }

    /// The same for edges that become known while the solver advances: the time is read again before each of its steps.
    pub fn coming_edge(&'b self, next: Expr<'b>) {
        if self.locates() {
            self.tape.borrow_mut().time_events.edges.push(next.reg);
        }
    }

    /// Announces the next time in seconds, after the current one, at which the block has a kink: infinite or not-a-number
    /// if it has none. A solver of variable step ends a step exactly there.
    pub fn kink(&'b self, next: Expr<'b>) {
        if self.locates() {
            self.tape.borrow_mut().time_events.kinks.push(next.reg);
        }
    }

    /// Limits the steps of solvers of variable step: the one that begins now is no longer than any element of `seconds`.
    /// With it a source declares the scale on which it changes, and a delay how far its past is known.
    pub fn limit_step(&'b self, seconds: Expr<'b>) {
        if self.locates() {
            self.tape.borrow_mut().time_events.limits.push(seconds.reg);
        }
    }
}
