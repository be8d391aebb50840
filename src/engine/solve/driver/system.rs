//! The interface of an engine that a solver needs.

use super::super::evaluate::{Evaluator, Leaves, Point};
use super::super::sparse::Jacobian;
use crate::engine::OutputId;
use crate::engine::program::record::Record;

/// How an engine computes the rates.
pub trait System {
    /// Computes the rates at a time in seconds and for given continuous states.
    fn rates(&mut self, time: f64, x: &[f64], rates: &mut [f64]);

    /// Computes the derivatives of the rates there, if the engine has code for them: for each state those by all states
    /// of a colour, and at the end that by the time.
    fn tangents(&mut self, _time: f64, _x: &[f64], _tangents: &mut Vec<f64>) -> bool {
        false
    }

    /// Whether the run is cancelled; the rates may be meaningless then.
    fn is_cancelled(&self) -> bool;

    fn leaves(&self) -> Leaves<'_>;

    /// The records of signals.
    fn records(&mut self) -> &mut [Record];

    /// Sets the discrete states of the next step, in which modes have changed.
    fn set_next(&mut self, next: &[f64]);

    /// The histories, of which a conditional subsystem that starts may fill some with initial values.
    fn history_mut(&mut self) -> &mut [f64];

    /// Sets the values that an output of a conditional subsystem holds from this step on.
    fn set_held(&mut self, output: OutputId, values: &[f64]);
}

/// Computes the rates, with the conditional subsystems that run since the last event.
pub(super) fn rates_of(system: &mut dyn System, evaluator: &mut Evaluator, time: f64, x: &[f64], rates: &mut [f64]) {
    if evaluator.conditions.is_set {
        evaluator.rates(system.leaves(), Point { time, x }, rates);
    } else {
        system.rates(time, x, rates);
    }
}

/// Computes the derivatives of the rates: in `jacobian` those by the states, in `slope` that of each rate by the time.
pub(super) fn differentiate(
    system: &mut dyn System,
    evaluator: &mut Evaluator,
    point: Point,
    jacobian: &mut Jacobian,
    slope: &mut [f64],
) {
    let mut tangents = std::mem::take(&mut evaluator.found);
    if evaluator.conditions.is_set || !system.tangents(point.time, point.x, &mut tangents) {
        evaluator.tangents(system.leaves(), point, &mut tangents);
    }
    evaluator.set_derivatives(&tangents, jacobian, slope);
    evaluator.found = tangents;
}
