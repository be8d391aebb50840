//! The residuals of all experiments as the optimizer sees them: weighted differences, as functions of scaled parameters.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use super::prepared::Calibration;
use crate::engine::Cancel;
use crate::optimize::{Cancelled, LeastSquares, differences};
use crate::trial::Executions;

/// The residuals, for one thread.
pub(super) struct FitProblem<'a> {
    of: &'a Calibration,
    cancel: &'a Cancel,
    state: RefCell<WorkState>,
}

#[derive(Default)]
struct WorkState {
    executions: Vec<Executions>,
    /// The last points, since the optimizer asks for residuals and derivatives of the same one.
    known: Vec<KnownPoint>,
    failure: Option<String>,
}

#[derive(Clone)]
struct KnownPoint {
    at: Vec<f64>,
    residuals: Vec<f64>,
    jacobian: Option<Vec<f64>>,
}

/// How many points are remembered.
const KNOWN: usize = 2;

impl<'a> FitProblem<'a> {
    pub fn new(of: &'a Calibration, cancel: &'a Cancel) -> FitProblem<'a> {
        let executions = of.runs.iter().map(|_| Executions::default()).collect();
        FitProblem { of, cancel, state: RefCell::new(WorkState { executions, ..WorkState::default() }) }
    }

    /// The message of the last run that failed.
    pub fn failure(&self) -> Option<String> {
        self.state.borrow().failure.clone()
    }

    /// Returns the simulated values of each experiment at the measured times.
    pub fn predictions(&self, at: &[f64]) -> Result<Vec<Vec<f64>>, Cancelled> {
        let values = self.of.values(at);
        let mut state = self.state.borrow_mut();
        let WorkState { executions, .. } = &mut *state;
        let runs = self.of.runs.iter().zip(executions);
        runs.map(|(run, executions)| Ok(run.run(&values, false, executions, self.cancel)?.values)).collect()
    }

    fn known(&self, at: &[f64]) -> Option<KnownPoint> {
        self.state.borrow().known.iter().find(|known| known.at == at).cloned()
    }

    fn remember(&self, point: KnownPoint) {
        let mut state = self.state.borrow_mut();
        state.known.retain(|known| known.at != point.at);
        if state.known.len() >= KNOWN {
            state.known.remove(0);
        }
        state.known.push(point);
    }

    fn evaluate(&self, at: &[f64], with_tangents: bool) -> Result<KnownPoint, Cancelled> {
        let values = self.of.values(at);
        let count = at.len();
        let slopes: Vec<f64> =
            self.of.params.iter().zip(&values).map(|(param, value)| param.scaled.scale.slope(*value)).collect();
        let (mut residuals, mut jacobian) = (Vec::new(), Vec::new());
        let mut state = self.state.borrow_mut();
        let WorkState { executions, failure, .. } = &mut *state;
        for (run, executions) in self.of.runs.iter().zip(executions) {
            if self.cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let found = run.run(&values, with_tangents, executions, self.cancel)?;
            let counter = if with_tangents { &self.of.counts.with_tangents } else { &self.of.counts.plain };
            counter.fetch_add(1, Ordering::Relaxed);
            if found.failure.is_some() {
                failure.clone_from(&found.failure);
            }
            let rows = found.values.iter().zip(&run.measured);
            residuals.extend(rows.map(|(value, (measured, weight))| (value - measured) * weight));
            if !with_tangents {
                continue;
            }
            let own = run.params.len();
            for (row, (_, weight)) in run.measured.iter().enumerate() {
                let first = jacobian.len();
                jacobian.resize(first + count, 0.0);
                for (place, index) in run.params.iter().enumerate() {
                    let tangent = found.tangents.get(row * own + place).copied().unwrap_or(f64::NAN);
                    let slope = slopes.get(*index).copied().unwrap_or(f64::NAN);
                    jacobian.iter_mut().skip(first + index).take(1).for_each(|to| *to = tangent * weight * slope);
                }
            }
        }
        Ok(KnownPoint { at: at.to_vec(), residuals, jacobian: with_tangents.then_some(jacobian) })
    }
}

impl LeastSquares for FitProblem<'_> {
    fn residuals(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled> {
        if let Some(known) = self.known(at) {
            return Ok(known.residuals);
        }
        let point = self.evaluate(at, false)?;
        self.remember(point.clone());
        Ok(point.residuals)
    }

    fn jacobian(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled> {
        let known = self.known(at);
        if let Some(jacobian) = known.as_ref().and_then(|known| known.jacobian.clone()) {
            return Ok(jacobian);
        }
        let mut point = if self.of.has_sensitivities() {
            self.evaluate(at, true)?
        } else {
            let residuals = self.residuals(at)?;
            KnownPoint { at: at.to_vec(), residuals, jacobian: None }
        };
        let jacobian = match point.jacobian.take() {
            Some(jacobian) => jacobian,
            None => differences(|at| Ok(self.evaluate(at, false)?.residuals), at, &self.of.bounds())?,
        };
        self.remember(KnownPoint { jacobian: Some(jacobian.clone()), ..point });
        Ok(jacobian)
    }
}
