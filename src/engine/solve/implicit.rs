//! Implicit fixed-step methods, solved by Newton's method with the exact Jacobian.

use super::sparse::{Jacobian, StepMatrix};
use crate::block::Rates;

/// After this many iterations without convergence the step fails.
pub const MAX_ITERATIONS: usize = 50;
/// The iteration ends when the last correction, relative to the state, is at most this.
pub const CLOSE: f64 = 1e-13;
/// The iteration also ends when rounding keeps the corrections from becoming smaller: after this many iterations, if
/// the last correction is below `CLOSE_ENOUGH`.
pub const FEW_ITERATIONS: usize = 3;
pub const CLOSE_ENOUGH: f64 = 1e-9;
/// A state is then at least as large as this part of the largest one: one that is 0 but for the rounding of others has no
/// size that a correction could be compared with.
pub const OF_LARGEST_STATE: f64 = 1e-6;

/// The functions and the working memory of the iteration.
pub struct Newton<'a> {
    pub rates: Rates<'a>,
    /// Whether the run is cancelled.
    pub is_cancelled: &'a dyn Fn() -> bool,
    /// Computes the Jacobian at a time and a state.
    pub differentiate: &'a mut dyn FnMut(f64, &[f64], &mut Jacobian),
    pub jacobian: &'a mut Jacobian,
    pub matrix: &'a mut StepMatrix,
    pub work: &'a mut NewtonWork,
}

/// The rates and the correction.
#[derive(Debug, Default)]
pub struct NewtonWork {
    now: Vec<f64>,
    change: Vec<f64>,
}

impl Newton<'_> {
    /// Solves `x = start + h·((1 - θ)·before + θ·rates(time, x))`, starting from `x`. θ is 1 for the implicit Euler
    /// method and 0.5 for the trapezoidal rule.
    ///
    /// # Errors
    /// Without convergence, the number of the state that is furthest from its solution.
    pub fn solve(
        &mut self,
        time: f64,
        (h, theta): (f64, f64),
        start: &[f64],
        before: &[f64],
        x: &mut [f64],
    ) -> Result<(), usize> {
        let n = start.len();
        let NewtonWork { now, change } = &mut *self.work;
        now.resize(n, 0.0);
        change.resize(n, 0.0);
        let mut size_before = f64::INFINITY;
        let mut worst = 0;
        for iteration in 0..MAX_ITERATIONS {
            (self.rates)(time, x, now);
            if (self.is_cancelled)() {
                return Err(worst);
            }
            for state in 0..n {
                let rate = (1.0 - theta) * before[state] + theta * now[state];
                change[state] = start[state] + h * rate - x[state];
            }
            if let Some(bad) = change.iter().position(|change| !change.is_finite()) {
                return Err(bad);
            }
            (self.differentiate)(time, x, self.jacobian);
            let factored = self.matrix.factor(self.jacobian, 1.0, h * theta);
            if !factored {
                return Err(worst);
            }
            self.matrix.solve(change);
            let mut largest = 0.0;
            for ((x, change), start) in x.iter_mut().zip(&*change).zip(start) {
                *x += change;
                let around = x.abs() + start.abs();
                largest = if around > largest { around } else { largest };
            }
            let (mut size, mut rough_size) = (0.0, 0.0);
            for (state, change) in change.iter().enumerate() {
                let around = x[state].abs() + start[state].abs() + f64::MIN_POSITIVE;
                let (part, rough) = (change.abs() / around, change.abs() / (around + OF_LARGEST_STATE * largest));
                // NaN is found in the next iteration.
                if part > size {
                    (size, worst) = (part, state);
                }
                rough_size = if rough > rough_size { rough } else { rough_size };
            }
            let is_stalled = iteration >= FEW_ITERATIONS && size >= size_before;
            if size <= CLOSE || is_stalled && rough_size < CLOSE_ENOUGH {
                return Ok(());
            }
            size_before = size;
        }
        Err(worst)
    }
}
