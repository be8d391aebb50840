//! The result of a fit: values, confidence intervals, correlations, and how well each curve fits.

use super::likelihood::ParamProfile;
use super::options::FitOptions;
use super::prepared::{Calibration, Gradients};
use super::problem::FitProblem;
use crate::block::Registry;
use crate::model::{Change, Simulation};
use crate::optimize::{Confidence, End, LeastSquares, Minimum, confidence, student_quantile};
use crate::trial::{self, WriteBackError};

/// The number of significant digits of a fitted value in a document.
const DIGITS: usize = 10;

/// The result of a fit.
#[derive(Clone, Debug)]
pub struct FitOutcome {
    pub params: Vec<FittedParam>,
    /// Correlations of the parameters, a row for each; `None` if one of the two is not determined.
    pub correlations: Vec<Vec<Option<f64>>>,
    /// Sets of parameters, by index, that the data determine only together.
    pub inseparable: Vec<Vec<usize>>,
    /// Parameters that have no effect on the measured curves.
    pub without_effect: Vec<usize>,
    /// Parameters that change the measured curves in jumps alone, which no derivative shows: with a fixed step, a time at
    /// which something switches acts from the next step on.
    pub in_jumps: Vec<usize>,
    /// The sums of squares, or of losses, with the values before and after.
    pub before: f64,
    pub after: f64,
    /// The root of the mean square of the weighted residuals of each curve.
    pub curves: Vec<CurveFit>,
    /// The number of measured values.
    pub rows: usize,
    pub end: End,
    pub iterations: u64,
    /// The number of runs without and with derivatives.
    pub runs: u64,
    pub runs_with_derivatives: u64,
    pub gradients: Gradients,
    pub starts: Vec<StartOutcome>,
    /// The probability of the intervals.
    pub level: f64,
}

/// A fitted parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedParam {
    pub path: String,
    /// The only experiment that has it.
    pub experiment: Option<usize>,
    pub before: f64,
    pub value: f64,
    /// The standard error; of a logarithmic parameter, that of its logarithm times the value.
    pub error: Option<f64>,
    /// The confidence interval.
    pub interval: Option<(f64, f64)>,
    /// Whether a bound holds it; then it has no confidence interval.
    pub is_at_bound: bool,
    /// The interval of profile likelihood, where it was asked for; an end is `None` where none is within the bounds.
    pub profile: Option<ParamProfile>,
}

impl FittedParam {
    /// A parameter of all experiments with a value, without error and interval.
    pub fn with_value(path: &str, value: f64) -> FittedParam {
        FittedParam {
            path: path.to_owned(),
            experiment: None,
            before: value,
            value,
            error: None,
            interval: None,
            is_at_bound: false,
            profile: None,
        }
    }
}

/// How well a curve fits.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveFit {
    pub experiment: usize,
    pub name: String,
    pub rows: usize,
    /// The root of the mean square of the differences, without weights.
    pub deviation: f64,
    /// Whether a parameter changes it.
    pub is_dependent: bool,
}

/// The result from one start.
#[derive(Clone, Debug, PartialEq)]
pub struct StartOutcome {
    pub start: Vec<f64>,
    pub values: Vec<f64>,
    pub sum: f64,
    pub end: End,
}

/// The minimum with its derivatives.
pub(super) struct Evaluated {
    /// Parameters that no bound holds.
    pub free: Vec<usize>,
    pub confidence: Option<Confidence>,
    /// The number of values that are more than free parameters.
    pub degrees: usize,
    /// The quantile of Student's distribution.
    pub quantile: f64,
    pub level: f64,
    /// The variance of the weighted residuals.
    pub variance: f64,
    residuals: Vec<f64>,
    /// Parameters whose derivatives are 0 although they change the curves.
    in_jumps: Vec<usize>,
    /// For each residual, whether its curve depends on a parameter.
    is_dependent: Vec<bool>,
}

/// How far a parameter without a derivative is moved, in coordinates, to see whether it has an effect.
const JUMP: f64 = 0.1;
/// How close to a bound, in coordinates, a parameter is held by it.
const AT_BOUND: f64 = 1e-6;

impl Evaluated {
    pub fn new(of: &Calibration, problem: &FitProblem, best: &Minimum, options: &FitOptions) -> Evaluated {
        let is_free = |index: &usize| {
            let (Some(at), Some(param)) = (best.at.get(*index), of.params.get(*index)) else { return false };
            let near = AT_BOUND * at.abs().max(1.0);
            (at - param.scaled.bounds.0).abs() > near && (at - param.scaled.bounds.1).abs() > near
        };
        let free: Vec<usize> = (0..best.at.len()).filter(is_free).collect();
        // It is not cancelled.
        let residuals = problem.residuals(&best.at).unwrap_or_default();
        let slopes = problem.jacobian(&best.at).unwrap_or_default();
        let (loss, scale) = (options.minimize.loss, options.minimize.loss_scale);
        let factors = loss.row_factors(&residuals, scale);
        let rows = slopes.chunks(best.at.len().max(1)).zip(&factors);
        let reduced: Vec<f64> = rows
            .flat_map(|(row, factor)| {
                free.iter().map(move |index| row.get(*index).copied().unwrap_or(f64::NAN) * factor)
            })
            .collect();
        // A curve that no parameter changes says nothing about them, and nothing about the noise of the others.
        let is_dependent = dependent(of, &slopes, best.at.len());
        let own: Vec<f64> = residuals.iter().zip(&is_dependent).filter(|(_, is)| **is).map(|(of, _)| *of).collect();
        let degrees = own.len().saturating_sub(free.len());
        let variance = if degrees > 0 { loss.sum(&own, scale) / degrees as f64 } else { f64::NAN };
        let confidence = confidence(&reduced, free.len(), variance);
        let flat = confidence.as_ref().map_or(&[][..], |found| &found.without_effect);
        let flat = flat.iter().filter_map(|place| free.get(*place).copied());
        let in_jumps = flat.filter(|index| has_effect(of, problem, (&best.at, &residuals), *index)).collect();
        Evaluated {
            confidence,
            in_jumps,
            quantile: student_quantile(options.level, degrees as f64),
            level: options.level,
            free,
            degrees,
            variance,
            residuals,
            is_dependent,
        }
    }

    /// The standard error of a coordinate.
    pub fn error(&self, index: usize) -> Option<f64> {
        let place = self.free.iter().position(|free| *free == index)?;
        self.confidence.as_ref()?.errors.get(place).copied().flatten().filter(|error| error.is_finite())
    }

    fn correlation(&self, a: usize, b: usize) -> Option<f64> {
        let place = |index: usize| self.free.iter().position(|free| *free == index);
        let row = self.confidence.as_ref()?.correlations.get(place(a)?)?;
        row.get(place(b)?).copied().flatten().filter(|value| value.is_finite())
    }
}

/// Whether a parameter changes the residuals if it is moved by a tenth.
fn has_effect(of: &Calibration, problem: &FitProblem, (at, residuals): (&[f64], &[f64]), index: usize) -> bool {
    let (Some(here), Some(param)) = (at.get(index), of.params.get(index)) else { return false };
    let by = JUMP * here.abs().max(1.0);
    [here - by, here + by].into_iter().any(|to| {
        let mut moved = at.to_vec();
        let to = to.clamp(param.scaled.bounds.0, param.scaled.bounds.1);
        moved.iter_mut().skip(index).take(1).for_each(|at| *at = to);
        problem.residuals(&moved).is_ok_and(|moved| moved != residuals)
    })
}

/// Returns for each measured value whether a parameter changes its curve.
fn dependent(of: &Calibration, slopes: &[f64], count: usize) -> Vec<bool> {
    let mut rows = slopes.chunks(count.max(1));
    let mut found = Vec::new();
    for curve in of.experiments.iter().flat_map(|experiment| &experiment.curves) {
        let own = rows.by_ref().take(curve.rows.len());
        let is_dependent = own.fold(false, |is, row| is | row.iter().any(|slope| *slope != 0.0));
        found.extend(std::iter::repeat_n(is_dependent, curve.rows.len()));
    }
    found
}

pub(super) fn outcome(
    of: &Calibration,
    evaluated: Evaluated,
    (best, before): (Minimum, f64),
    starts: Vec<StartOutcome>,
    profiles: Vec<Option<ParamProfile>>,
) -> FitOutcome {
    let values = of.values(&best.at);
    let count = values.len();
    let mut profiles = profiles.into_iter();
    let one = |(index, (param, &value)): (usize, (&super::prepared::FitParam, &f64))| {
        let error = evaluated.error(index);
        let at = param.scaled.scale.coordinate(value);
        let (low, high) = param.scaled.bounds;
        let end = |at: f64| param.scaled.scale.value(at.clamp(low, high));
        FittedParam {
            path: param.wanted.free.path.clone(),
            experiment: param.wanted.experiment,
            before: param.scaled.start,
            value,
            error: error.map(|error| error * param.scaled.scale.slope(value)),
            interval: error
                .map(|error| error * evaluated.quantile)
                .filter(|by| by.is_finite())
                .map(|by| (end(at - by), end(at + by))),
            is_at_bound: !evaluated.free.contains(&index),
            profile: profiles.next().flatten(),
        }
    };
    let params = of.params.iter().zip(&values).enumerate().map(one).collect();
    let indices = |places: &[usize]| -> Vec<usize> {
        places.iter().filter_map(|place| evaluated.free.get(*place).copied()).collect()
    };
    let confidence = evaluated.confidence.clone().unwrap_or_default();
    let without_effect = indices(&confidence.without_effect).into_iter();
    FitOutcome {
        params,
        correlations: (0..count).map(|a| (0..count).map(|b| evaluated.correlation(a, b)).collect()).collect(),
        inseparable: confidence.inseparable.iter().map(|set| indices(set)).collect(),
        without_effect: without_effect.filter(|index| !evaluated.in_jumps.contains(index)).collect(),
        in_jumps: evaluated.in_jumps.clone(),
        before,
        after: best.sum,
        curves: curves(of, &evaluated),
        rows: evaluated.residuals.len(),
        end: best.end,
        iterations: best.iterations,
        runs: of.run_counts().plain,
        runs_with_derivatives: of.run_counts().with_derivatives,
        gradients: of.gradients(),
        starts,
        level: evaluated.level,
    }
}

fn curves(of: &Calibration, evaluated: &Evaluated) -> Vec<CurveFit> {
    let mut residuals = evaluated.residuals.iter().zip(&evaluated.is_dependent);
    let mut found = Vec::new();
    for (experiment, measured) in of.experiments.iter().enumerate() {
        for curve in &measured.curves {
            let (mut squares, mut weighted, mut depends) = (0.0, 0_usize, false);
            for ((residual, is_dependent), row) in residuals.by_ref().take(curve.rows.len()).zip(&curve.rows) {
                depends |= is_dependent | !evaluated.in_jumps.is_empty();
                if row.weight > 0.0 {
                    squares += (residual / row.weight).powi(2);
                    weighted += 1;
                }
            }
            let deviation = (squares / weighted.max(1) as f64).sqrt();
            let (name, rows) = (curve.name.clone(), curve.rows.len());
            found.push(CurveFit { experiment, name, rows, deviation, is_dependent: depends });
        }
    }
    found
}

/// Returns the change that writes the values of all parameters that no experiment has for itself.
///
/// # Errors
/// If one of them is an expression that is not to be replaced, or cannot be set by itself.
pub fn change_of(
    params: &[FittedParam],
    simulation: &Simulation,
    registry: &Registry,
    replaces_expressions: bool,
) -> Result<Change, WriteBackError> {
    let shared = params.iter().filter(|param| param.experiment.is_none());
    let values: Vec<(&str, f64)> = shared.map(|param| (&*param.path, param.value)).collect();
    trial::change_of("Fit parameters", &values, Some(DIGITS), (simulation, registry), replaces_expressions)
}
