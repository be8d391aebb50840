//! Functions that are known by their values alone, and their minimization within bounds.

use basin::{
    Bobyqa, BoundedCmaEs, BoxBounds, ConstraintDescription, ConstraintSet, Constraints, CostFunction, DenseMatrix,
    Executor, PointState, PopulationProgress, State, StepOutcome, Stepper, Termination,
};

use super::{Cancelled, End, Iterate, Minimum};

/// A function of coordinates. Where it has no value it is infinite.
pub trait BlackBox {
    /// # Errors
    /// If the minimization is cancelled.
    fn cost(&self, at: &[f64]) -> Result<f64, Cancelled>;
}

/// How a black box is minimized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Evolution with an adapted covariance matrix (Hansen 2016), which also finds its way where the function is rough or
    /// has several minima.
    #[default]
    CmaEs,
    /// Quadratic models in a trust region (Powell 2009): few evaluations where the function is smooth.
    Bobyqa,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlackBoxOptions {
    pub method: Method,
    pub max_evaluations: u64,
    /// It ends once the search has become narrower than this part of the bounds.
    pub tolerance: f64,
    /// It ends at a value that is not above this one.
    pub goal: f64,
    /// The seed of the evolution.
    pub seed: u64,
}

impl Default for BlackBoxOptions {
    fn default() -> BlackBoxOptions {
        BlackBoxOptions {
            method: Method::default(),
            max_evaluations: 2000,
            tolerance: 1e-8,
            goal: f64::NEG_INFINITY,
            seed: 0,
        }
    }
}

/// The standard deviation of what the evolution draws first, as a part of the bounds; Hansen recommends 0.2 to 0.5.
const FIRST_DEVIATION: f64 = 0.3;
/// The radius of the first trust region, as a part of the bounds.
const FIRST_RADIUS: f64 = 0.1;
/// Stands for a function without a value: larger than any cost, and finite, as the library wants it.
const NO_VALUE: f64 = 1e300;

/// Minimizes a black box from a start within finite bounds. `look` sees each new point that is better than all before.
pub fn minimize_black_box(
    problem: &dyn BlackBox,
    start: &[f64],
    bounds: &[(f64, f64)],
    options: &BlackBoxOptions,
    look: &mut dyn FnMut(Iterate),
) -> Minimum {
    let is_sound = |(start, (low, high)): (&f64, &(f64, f64))| {
        start.is_finite() && low.is_finite() && high.is_finite() && low < high
    };
    // The library ends the program where this does not hold.
    if start.is_empty() || start.len() != bounds.len() || !start.iter().zip(bounds).all(is_sound) {
        return Minimum { at: start.to_vec(), sum: f64::INFINITY, iterations: 0, end: End::Failed };
    }
    let unit: Vec<f64> =
        start.iter().zip(bounds).map(|(at, (low, high))| ((at - low) / (high - low)).clamp(0.0, 1.0)).collect();
    let count = unit.len();
    let adapted = UnitBox { problem, bounds, low: vec![0.0; count], high: vec![1.0; count] };
    match options.method {
        Method::CmaEs => {
            let method = BoundedCmaEs::<Vec<f64>, DenseMatrix>::new(options.seed, FIRST_DEVIATION)
                .with_absolute_distribution_size_tolerance(options.tolerance);
            let executor = Executor::new(adapted, method, PopulationProgress::from_point(unit));
            let executor = executor.max_cost_evals(options.max_evaluations);
            follow(executor.into_stepper(), (start, bounds), options, look)
        }
        Method::Bobyqa => {
            let method =
                Bobyqa::new().with_initial_radius(FIRST_RADIUS).with_final_radius(options.tolerance.max(1e-14));
            let executor = Executor::new(adapted, method, PointState::new(unit));
            let executor = executor.max_cost_evals(options.max_evaluations);
            follow(executor.into_stepper(), (start, bounds), options, look)
        }
    }
}

/// Takes the steps of an optimizer until it ends.
fn follow<'a, S, M>(
    stepper: Result<Stepper<UnitBox<'a>, S, M>, M::Error>,
    (start, bounds): (&[f64], &[(f64, f64)]),
    options: &BlackBoxOptions,
    look: &mut dyn FnMut(Iterate),
) -> Minimum
where
    S: State<Param = Vec<f64>, Float = f64> + basin::CountsMirror,
    M: basin::Solver<UnitBox<'a>, S>,
{
    let mut best = Minimum { at: start.to_vec(), sum: f64::INFINITY, iterations: 0, end: End::Cancelled };
    let Ok(mut stepper) = stepper else { return best };
    loop {
        // After an error there is no state any more.
        let Ok(outcome) = stepper.step() else { return best };
        let state = stepper.state();
        if state.best_cost() < best.sum {
            best.at = within(state.best_param(), bounds);
            best.sum = state.best_cost();
            look(Iterate { iteration: state.iter(), at: &best.at, sum: best.sum });
        }
        best.iterations = state.iter();
        best.end = match outcome {
            _ if best.sum <= options.goal => End::Converged,
            StepOutcome::Continue => continue,
            StepOutcome::Stopped(report) => match report.termination {
                Termination::Converged(_) | Termination::Stalled(_) | Termination::Target { .. } => End::Converged,
                Termination::Limit(_) => End::Limit,
                Termination::Cancelled | Termination::Application(_) => End::Cancelled,
                _ => End::Failed,
            },
        };
        if best.sum >= NO_VALUE {
            best.sum = f64::INFINITY;
        }
        return best;
    }
}

/// Returns the point of the bounds at this point of the unit box.
fn within(unit: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    unit.iter().zip(bounds).map(|(at, (low, high))| (low + (high - low) * at).clamp(*low, *high)).collect()
}

/// The function on the unit box.
struct UnitBox<'a> {
    problem: &'a dyn BlackBox,
    bounds: &'a [(f64, f64)],
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Constraints for UnitBox<'_> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&self.low), Some(&self.high)))
    }
}

impl CostFunction for UnitBox<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Cancelled;

    fn cost(&self, at: &Vec<f64>) -> Result<f64, Cancelled> {
        let cost = self.problem.cost(&within(at, self.bounds))?;
        Ok(if cost.is_nan() { NO_VALUE } else { cost.clamp(-NO_VALUE, NO_VALUE) })
    }
}
