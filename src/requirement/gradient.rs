//! The search that follows exact derivatives, for requirements that hold in all steps.

use std::cell::RefCell;

use super::monitor::Watched;
use super::{GradientError, Study, When};
use crate::engine::{Cancel, Samples, Sensitivity};
use crate::optimize::{Cancelled, LeastSquares};
use crate::trial::{Executions, TrialEnd};

/// The number of residuals of a requirement in a run. Each is that of the worst of some steps.
const PARTS: u64 = 500;
/// How far within their bounds signals should be, as a part of the bound, so that a search ends inside.
const INSIDE: f64 = 1e-6;

/// The violations of all requirements in parts of the run as residuals: their sum of squares is 0 where all are met.
pub(super) struct Violations<'a> {
    study: &'a Study,
    sensitivity: &'a Sensitivity,
    executions: RefCell<Executions>,
    cancel: &'a Cancel,
}

impl Study {
    /// Returns the program with the derivatives that a search can follow.
    ///
    /// # Errors
    /// If a requirement is on a figure or on one of several conditions, or the simulation has no exact derivatives.
    pub(super) fn derivatives(&self) -> Result<Sensitivity, GradientError> {
        if self.is_maximized().is_some() {
            return Err(GradientError::Objective);
        }
        for requirement in &self.requirements {
            if !matches!(
                requirement.any[..],
                [Watched::Value { when: When::Always, .. } | Watched::Follows { .. } | Watched::Check { .. }]
            ) {
                return Err(GradientError::Requirement(requirement.name.clone()));
            }
        }
        self.trial.sensitivity().map_err(|error| GradientError::Sensitivity(error.to_string()))
    }
}

impl<'a> Violations<'a> {
    pub fn new(study: &'a Study, sensitivity: &'a Sensitivity, cancel: &'a Cancel) -> Violations<'a> {
        Violations { study, sensitivity, executions: RefCell::default(), cancel }
    }

    /// Returns the residuals and, if wanted, their derivatives by the coordinates.
    fn evaluate(&self, at: &[f64], with_tangents: bool) -> Result<(Vec<f64>, Vec<f64>), Cancelled> {
        let Study { trial, requirements, steps, scenarios, params, .. } = self.study;
        let (values, count) = (self.study.values(at), at.len());
        let slopes: Vec<f64> =
            params.iter().zip(&values).map(|(param, value)| param.scaled.scale.slope(*value)).collect();
        let conditions: Vec<&Watched> = requirements.iter().flat_map(|requirement| &requirement.any).collect();
        let parts = (*steps).clamp(1, PARTS);
        let (mut residuals, mut tangents) = (Vec::new(), Vec::new());
        for scenario in scenarios {
            let all: Vec<f64> = values.iter().chain(scenario).copied().collect();
            let begin = residuals.len();
            let rows = conditions.len() * parts as usize;
            residuals.resize(begin + rows, 0.0);
            tangents.resize(if with_tangents { (begin + rows) * count } else { 0 }, 0.0);
            let mut take = |samples: &Samples| {
                let (first, length) = (samples.first(), samples.len());
                let row_of = |watch: usize, index: usize| {
                    let values = samples.watches().get(watch).map_or(&[][..], |watch| &*watch.values);
                    let width = values.len().checked_div(length).unwrap_or(1).max(1);
                    values.get(index * width..(index + 1) * width).unwrap_or_default()
                };
                for (number, condition) in conditions.iter().enumerate() {
                    for index in 0..length {
                        let step = first + index as u64;
                        let Some(found) = condition.in_step(step, row_of(condition.signal(), index)) else { continue };
                        let violation = INSIDE - found.margin / condition.scale();
                        let part = (step * parts / (*steps).max(1)) as usize;
                        let at = begin + number * parts as usize + part.min(parts as usize - 1);
                        let Some(residual) = residuals.get_mut(at) else { continue };
                        // Not-a-number is kept: the optimizer takes a shorter step.
                        if violation <= *residual || residual.is_nan() {
                            continue;
                        }
                        *residual = violation;
                        if !with_tangents {
                            continue;
                        }
                        for (param, slope) in slopes.iter().enumerate() {
                            let watch = trial.watched() + condition.signal() * all.len() + param;
                            let tangent = row_of(watch, index).get(found.element).copied().unwrap_or(f64::NAN);
                            if let Some(to) = tangents.get_mut(at * count + param) {
                                *to = -found.slope * tangent * slope / condition.scale();
                            }
                        }
                    }
                }
            };
            let sensitivity = with_tangents.then_some(self.sensitivity);
            let mut executions = self.executions.borrow_mut();
            let end = trial.run(&all, (*steps, sensitivity), &mut executions, self.cancel, &mut take)?;
            if matches!(end, TrialEnd::Failed(_)) {
                residuals.iter_mut().skip(begin).for_each(|residual| *residual = f64::NAN);
                break;
            }
        }
        Ok((residuals, tangents))
    }
}

impl LeastSquares for Violations<'_> {
    fn residuals(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled> {
        Ok(self.evaluate(at, false)?.0)
    }

    fn jacobian(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled> {
        Ok(self.evaluate(at, true)?.1)
    }
}
