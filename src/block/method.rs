//! Solvers that other crates provide.

use super::CallError;

/// A function that computes the derivatives of the continuous states, from a time in seconds and the states.
pub type Rates<'a> = &'a mut dyn FnMut(f64, &[f64], &mut [f64]);

/// A method that integrates the continuous states over one simulation step, selected by a simulation's `solver`.
///
/// It has no memory: a step depends on its arguments alone, so that runs can be repeated, paused and moved between
/// engines bit for bit. The order of its additions and multiplications must always be the same.
pub trait Method: Sync {
    /// Returns the value of the file's `solver` attribute.
    fn name(&self) -> &'static str;

    /// Returns the displayed name, a comma, and a description.
    fn doc(&self) -> &'static str;

    /// Returns the order of convergence: the error over a fixed time is at most of this power of the step size.
    fn order(&self) -> u32;

    /// Integrates `x` from `time` over `h` seconds.
    ///
    /// # Errors
    /// Fails if the step is impossible, with a text that follows the solver's name, such as “does not converge”.
    fn step(&self, rates: Rates, time: f64, h: f64, x: &mut [f64]) -> Result<(), CallError>;
}
