//! The least-squares problem and its minimization.

use basin::{
    BoxBounds, ConstraintDescription, ConstraintSet, Constraints, DenseMatrix, Executor, Jacobian, Residual,
    RobustLeastSquares, State, StepOutcome, Termination, TrustRegionReflective,
};
use serde::{Deserialize, Serialize};

use super::Loss;

/// The residuals whose squares are summed, as a function of coordinates. Residuals that are not finite say that the
/// function has no value there, and the optimizer takes a shorter step.
pub trait LeastSquares {
    /// Returns the residuals.
    ///
    /// # Errors
    /// If the minimization is cancelled.
    fn residuals(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled>;

    /// Returns the derivatives of the residuals, row after row, with a column for each coordinate.
    ///
    /// # Errors
    /// If the minimization is cancelled.
    fn jacobian(&self, at: &[f64]) -> Result<Vec<f64>, Cancelled>;
}

/// The minimization was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinimizeOptions {
    pub max_iterations: u64,
    /// It ends after a step that is shorter than this part of the coordinates, and after many that lower the sum by hardly
    /// more than this part.
    pub tolerance: f64,
    pub loss: Loss,
    /// The residual from which the loss counts less.
    pub loss_scale: f64,
}

impl Default for MinimizeOptions {
    fn default() -> MinimizeOptions {
        MinimizeOptions { max_iterations: 500, tolerance: 1e-9, loss: Loss::default(), loss_scale: 1.0 }
    }
}

/// Where the optimizer is.
#[derive(Clone, Copy, Debug)]
pub struct Iterate<'a> {
    pub iteration: u64,
    pub at: &'a [f64],
    /// The sum of the losses: of the squares, for [`Loss::Square`].
    pub sum: f64,
}

/// Why a minimization has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At a minimum.
    Converged,
    /// After the maximum number of iterations.
    Limit,
    /// No step leads on, or the residuals or derivatives of the start are not finite.
    Failed,
    Cancelled,
}

/// The best point that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    pub at: Vec<f64>,
    /// The sum of the losses there.
    pub sum: f64,
    pub iterations: u64,
    pub end: End,
}

/// The cosine of the angle between residuals and a column of the Jacobian below which they are orthogonal.
const ORTHOGONAL: f64 = 1e-6;
/// The number of steps one after the other that may lower the sum by less than twice the tolerance: along a direction that
/// the data leave open, or a bound, they would go on for long.
const MAX_IDLE: u32 = 20;
/// The part of the first sum below which nothing but rounding is left.
const EXACT_FIT: f64 = 1e-25;
/// The number of steps that are tried from a point, each a quarter of the one before.
const MAX_ATTEMPTS: usize = 20;

/// Minimizes the sum of losses from a start within bounds. `look` sees each new point.
///
/// Bounds that are equal keep a coordinate; all others are approached, but never reached.
pub fn minimize(
    problem: &dyn LeastSquares,
    start: &[f64],
    bounds: &[(f64, f64)],
    options: &MinimizeOptions,
    look: &mut dyn FnMut(Iterate),
) -> Minimum {
    let failed = |end, sum| Minimum { at: start.to_vec(), sum, iterations: 0, end };
    let is_sound = |(start, (low, high)): (&f64, &(f64, f64))| {
        start.is_finite() && low <= high && *low < f64::INFINITY && *high > f64::NEG_INFINITY
    };
    // The library ends the program where this does not hold.
    if start.is_empty() || start.len() != bounds.len() || !start.iter().zip(bounds).all(is_sound) {
        return failed(End::Failed, f64::INFINITY);
    }
    // A start outside is moved to the bound, from where the library moves it inside.
    let within: Vec<f64> = start.iter().zip(bounds).map(|(start, (low, high))| start.clamp(*low, *high)).collect();
    match problem.residuals(&within) {
        Err(Cancelled) => return failed(End::Cancelled, f64::INFINITY),
        Ok(residuals) if residuals.is_empty() || residuals.iter().any(|residual| !residual.is_finite()) => {
            return failed(End::Failed, f64::INFINITY);
        }
        Ok(_) => {}
    }
    let (low, high) = bounds.iter().copied().unzip();
    let adapted = RobustLeastSquares::new(Adapter { problem, low, high }, options.loss.function());
    let adapted = adapted.with_scale(options.loss_scale.max(f64::MIN_POSITIVE));
    let method = TrustRegionReflective::new()
        .with_absolute_scaled_gradient_tolerance(0.0)
        .with_max_inner_attempts(MAX_ATTEMPTS)
        .with_relative_step_tolerance(options.tolerance.max(f64::EPSILON));
    let executor = Executor::from_start(adapted, method, within.clone()).max_iter(options.max_iterations);
    let Ok(mut stepper) = executor.into_stepper() else { return failed(End::Cancelled, f64::INFINITY) };
    let first = 2.0 * stepper.state().cost();
    let mut idle = 0;
    let mut best = Minimum { at: within, sum: f64::INFINITY, iterations: 0, end: End::Cancelled };
    loop {
        let state = stepper.state();
        if 2.0 * state.cost() < best.sum {
            (best.at, best.sum) = (state.param().clone(), 2.0 * state.cost());
        }
        best.iterations = state.iter();
        look(Iterate { iteration: best.iterations, at: &best.at, sum: best.sum });
        match stepper.step() {
            Ok(StepOutcome::Continue) => {
                let is_idle = best.sum - 2.0 * stepper.state().cost() <= 2.0 * options.tolerance * best.sum;
                idle = if is_idle { idle + 1 } else { 0 };
                if idle >= MAX_IDLE {
                    best.end = End::Converged;
                    return best;
                }
            }
            Ok(StepOutcome::Stopped(report)) => {
                let state = stepper.state();
                if 2.0 * state.cost() < best.sum {
                    (best.at, best.sum) = (state.param().clone(), 2.0 * state.cost());
                }
                best.iterations = state.iter();
                best.end = match report.termination {
                    // Without progress at the limit of precision.
                    Termination::Converged(_) | Termination::Stalled(_) | Termination::Target { .. } => End::Converged,
                    Termination::Limit(_) => End::Limit,
                    Termination::Cancelled | Termination::Application(_) => End::Cancelled,
                    // At the limit of precision no further step is shorter than the last one, and none is better.
                    _ if best.sum <= EXACT_FIT * first => End::Converged,
                    _ if is_stationary(problem, &best.at, bounds, options) => End::Converged,
                    _ => End::Failed,
                };
                return best;
            }
            Err(_) => return best,
        }
    }
}

/// Whether the residuals are orthogonal to each column of the Jacobian whose coordinate can move.
fn is_stationary(problem: &dyn LeastSquares, at: &[f64], bounds: &[(f64, f64)], options: &MinimizeOptions) -> bool {
    let (Ok(residuals), Ok(slopes)) = (problem.residuals(at), problem.jacobian(at)) else { return false };
    let function = options.loss.function();
    let pulls: Vec<f64> = residuals
        .iter()
        .map(|residual| function.evaluate_scaled(*residual, options.loss_scale.max(f64::MIN_POSITIVE)).first_derivative)
        .collect();
    let length = pulls.iter().map(|pull| pull * pull).sum::<f64>().sqrt();
    at.iter().zip(bounds).enumerate().all(|(index, (at, (low, high)))| {
        let column = slopes.iter().skip(index).step_by(bounds.len());
        let (product, square) = column
            .zip(&pulls)
            .fold((0.0, 0.0), |(product, square), (slope, pull)| (product + slope * pull, square + slope * slope));
        // A gradient that leads out of the bounds holds the coordinate there.
        let distance = if product > 0.0 { at - low } else { high - at };
        product.abs() <= ORTHOGONAL * length * square.sqrt() || distance < 1e-6 * at.abs().max(1.0)
    })
}

/// The problem as the library takes it.
struct Adapter<'a> {
    problem: &'a dyn LeastSquares,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Constraints for Adapter<'_> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&self.low), Some(&self.high)))
    }
}

impl Residual for Adapter<'_> {
    type Param = Vec<f64>;
    type Output = Vec<f64>;
    type Error = Cancelled;

    fn residual(&self, at: &Vec<f64>) -> Result<Vec<f64>, Cancelled> {
        self.problem.residuals(at)
    }
}

impl Jacobian for Adapter<'_> {
    type Jacobian = DenseMatrix;

    fn jacobian(&self, at: &Vec<f64>) -> Result<DenseMatrix, Cancelled> {
        let slopes = self.problem.jacobian(at)?;
        Ok(DenseMatrix::from_row_slice(slopes.len() / at.len().max(1), at.len(), &slopes))
    }
}
