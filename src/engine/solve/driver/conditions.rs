//! Conditional subsystems start and end where a step of the solver ends.

use super::super::evaluate::Point;
use super::variable::VariableStep;

impl VariableStep<'_> {
    /// Lets conditional subsystems start and end at an event. Returns whether any does.
    ///
    /// At a point of the grid the major step decides; discrete blocks then have their new values.
    pub(super) fn switch(&mut self, time: f64, x: &mut [f64], next: &mut [f64]) -> bool {
        let evaluator = &mut self.integrator.evaluator;
        if time <= self.begin {
            return false;
        }
        if time >= self.end {
            evaluator.hold_at_grid(self.system.leaves(), Point { time, x });
            return false;
        }
        let switched = evaluator.switch(self.system.leaves(), time, x, next);
        let history = self.system.history_mut();
        switched.refills.iter().for_each(|&(at, value)| history[at] = value);
        self.system.set_next(next);
        switched.is_any
    }

    /// Gives the engine the values that conditional subsystems hold from here on.
    pub(super) fn give_held(&mut self) {
        let evaluator = &self.integrator.evaluator;
        evaluator.held_outputs().for_each(|(output, values)| self.system.set_held(output, values));
    }
}
