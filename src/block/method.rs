//! Solvers from outside the program.

/// The rates of change at a time in seconds and continuous states.
pub type Rates<'a> = &'a mut dyn FnMut(f64, &[f64], &mut [f64]);

/// A way to carry continuous states over one step of the simulation, as a simulation's `solver` names it.
///
/// It has no memory: a step depends on what it is given alone, so that runs can be repeated, paused and handed from one
/// engine to another bit for bit. It adds and multiplies in an order of its own choice, always the same.
pub trait Method: Sync {
    /// As the file's `solver` attribute has it.
    fn name(&self) -> &'static str;

    /// Its name in the interface, and behind a comma what it does.
    fn doc(&self) -> &'static str;

    /// Its error over a fixed time falls with at least this power of the step's length.
    fn order(&self) -> u32;

    /// Carries `x` from `time` over `h` seconds.
    ///
    /// # Errors
    /// Where it cannot go on: what is said behind the solver's name, such as “does not converge”.
    fn step(&self, rates: Rates, time: f64, h: f64, x: &mut [f64]) -> Result<(), String>;
}
