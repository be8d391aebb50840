//! Implicit methods of fixed step, by Newton's iteration with the exact Jacobian.

use super::matrix::Factors;
use super::method::Rates;

/// More turns than this mean that it does not converge.
const MAX_ITERATIONS: usize = 50;
/// The iteration ends where the last correction is this small a part of the state.
const CLOSE: f64 = 1e-13;

/// What the iteration works with.
pub struct Newton<'a> {
    pub rates: Rates<'a>,
    /// Whether nobody waits for the solution any more.
    pub is_cancelled: &'a dyn Fn() -> bool,
    /// Fills in the Jacobian, row after row.
    pub jacobian: Rates<'a>,
    pub factors: &'a mut Factors,
    pub work: &'a mut NewtonWork,
}

/// The rates, the Jacobian and the correction.
#[derive(Debug, Default)]
pub struct NewtonWork {
    now: Vec<f64>,
    jacobian: Vec<f64>,
    change: Vec<f64>,
}

impl Newton<'_> {
    /// Solves `x = start + h·((1 - θ)·before + θ·rates(time, x))` from `x` on. θ is 1 for Euler's implicit method, 0.5 for
    /// the trapezoidal rule.
    ///
    /// # Errors
    /// The state that is furthest from its solution, where it does not converge.
    pub fn solve(
        &mut self,
        time: f64,
        (h, theta): (f64, f64),
        start: &[f64],
        before: &[f64],
        x: &mut [f64],
    ) -> Result<(), usize> {
        let n = start.len();
        let NewtonWork { now, jacobian, change } = &mut *self.work;
        now.resize(n, 0.0);
        jacobian.resize(n * n, 0.0);
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
            (self.jacobian)(time, x, jacobian);
            let factored = self
                .factors
                .factor(n, |row, column| f64::from(u8::from(row == column)) - h * theta * jacobian[row * n + column]);
            if !factored {
                return Err(worst);
            }
            self.factors.solve(change);
            let mut size = 0.0;
            for (state, (x, change)) in x.iter_mut().zip(&*change).enumerate() {
                *x += change;
                let part = change.abs() / (x.abs() + start[state].abs() + f64::MIN_POSITIVE);
                // Not-a-number shows in the next turn.
                if part > size {
                    (size, worst) = (part, state);
                }
            }
            // Where rounding keeps the corrections from getting smaller there is nothing to be gained.
            if size <= CLOSE || iteration > 2 && size >= size_before && size < 1e-9 {
                return Ok(());
            }
            size_before = size;
        }
        Err(worst)
    }
}
