//! The search for values with which all requirements are met and the objective is best.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::gradient::Violations;
use super::{Evaluation, Study};
use crate::engine::Cancel;
use crate::optimize::{
    BlackBox, BlackBoxOptions, Cancelled, End, Iterate, Method, MinimizeOptions, Minimum, minimize, minimize_black_box,
    spread,
};
use crate::trial::{Executions, from_starts};

/// How the best values are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMethod {
    /// Along exact derivatives where there are any, then by the values alone.
    #[default]
    Automatic,
    /// Along exact derivatives.
    Gradient,
    /// By the values alone, as the options of the black box say.
    BlackBox,
}

/// Why a search cannot follow exact derivatives.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GradientError {
    #[error("derivatives are followed without an objective only")]
    Objective,
    #[error("derivatives are followed for conditions in all steps only, which “{0}” is not")]
    Requirement(String),
    #[error("there are no exact derivatives: {0}")]
    Sensitivity(String),
}

/// How a search proceeds.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    pub method: SearchMethod,
    pub black_box: BlackBoxOptions,
    /// The number of starts: the values of the file, and others between the bounds.
    pub starts: usize,
    /// The seed of the other starts and of the searches.
    pub seed: u64,
    /// The number of searches at the same time.
    pub workers: NonZeroUsize,
    /// Counts the evaluations of a search while it proceeds, for others to look at.
    pub evaluations: Arc<AtomicU64>,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        SearchOptions {
            method: SearchMethod::default(),
            black_box: BlackBoxOptions::default(),
            starts: 1,
            seed: 0,
            workers,
            evaluations: Arc::default(),
        }
    }
}

/// Values that are better than those before from the same start.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumProgress {
    /// The number of the start, from 0.
    pub start: usize,
    pub values: Vec<f64>,
    /// Evaluations so far, of all starts.
    pub evaluations: u64,
}

/// The best values that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    pub values: Vec<f64>,
    /// With the values of the file.
    pub before: Evaluation,
    pub after: Evaluation,
    pub evaluations: u64,
    /// Whether the search followed exact derivatives.
    pub has_gradient: bool,
    pub end: End,
}

/// The cost of a run that violates something is above this one, and of all others below.
const VIOLATED: f64 = 2.0;
/// The weight of violations beside the objective, where a smooth cost is wanted.
const PENALTY: f64 = 100.0;

impl Study {
    /// Chooses the parameters. `look` sees values that are better than those before from the same start.
    ///
    /// Values that meet all requirements are better than all that do not; among these the smaller sum of violations
    /// counts, among those the objective (K. Deb, “An efficient constraint handling method for genetic algorithms”,
    /// 2000). Without an objective the search ends with the first values that meet all.
    ///
    /// Requirements that hold in all steps are met along exact derivatives, where the simulation has them. Where that does
    /// not lead to values which meet them all, the search goes on by the values alone, unless the options rule it out.
    ///
    /// Once cancelled, it returns the best values so far.
    ///
    /// # Errors
    /// If the options ask for derivatives and there are none to follow.
    pub fn optimize(
        &self,
        options: &SearchOptions,
        cancel: &Cancel,
        look: &mut dyn FnMut(OptimumProgress),
    ) -> Result<Optimum, GradientError> {
        let evaluations = &*options.evaluations;
        evaluations.store(1, Ordering::Relaxed);
        let derivatives = match options.method {
            SearchMethod::BlackBox => None,
            SearchMethod::Gradient => Some(self.derivatives()?),
            SearchMethod::Automatic => self.derivatives().ok(),
        };
        let has_gradient = derivatives.is_some();
        let unstoppable = Cancel::new();
        let initial = self.initial();
        let failed = |_| Evaluation { met: Vec::new(), objective: None, failure: Some("cancelled".to_owned()) };
        let before = self.evaluate(&initial, &unstoppable).unwrap_or_else(failed);
        if self.is_maximized().is_none() && before.is_met() {
            let (after, end) = (before.clone(), End::Converged);
            return Ok(Optimum { values: initial, before, after, evaluations: 1, has_gradient, end });
        }
        // The objective in units of its first value.
        let unit = before.objective.map(f64::abs).filter(|size| *size > 0.0 && size.is_finite()).unwrap_or(1.0);
        let starts = self.starts(options);
        let state = || Search {
            study: self,
            gradient: derivatives.as_ref().map(|derivatives| Violations::new(self, derivatives, cancel)),
            executions: RefCell::default(),
            evaluations,
            unit,
            options,
            cancel,
        };
        let work = |search: &mut Search, index: usize, news: &mut dyn FnMut(OptimumProgress)| {
            search.minimum(index, starts.get(index).map_or(&[][..], |start| start), news)
        };
        let found = from_starts((starts.len(), options.workers), cancel, state, work, look);
        let best = found.into_iter().flatten().min_by(|one, other| one.sum.total_cmp(&other.sum));
        let best = best.filter(|best| best.sum < self.cost(&before, unit, options.black_box.method));
        let values = best.as_ref().map_or(initial, |best| self.values(&best.at));
        // The values once more, even if the search was cancelled.
        let after = self.evaluate(&values, &unstoppable).unwrap_or_else(failed);
        let end = match best {
            _ if cancel.is_cancelled() => End::Cancelled,
            None => End::Converged,
            Some(best) => best.end,
        };
        Ok(Optimum { values, before, after, evaluations: evaluations.load(Ordering::Relaxed), has_gradient, end })
    }

    /// The start in the file, and others spread between the bounds, as coordinates.
    pub(super) fn starts(&self, options: &SearchOptions) -> Vec<Vec<f64>> {
        let first = self.params.iter().map(|param| param.scaled.scale.coordinate(param.scaled.start)).collect();
        let others = spread(&self.bounds(), options.starts.saturating_sub(1), options.seed);
        [first].into_iter().chain(others).collect()
    }

    pub(super) fn bounds(&self) -> Vec<(f64, f64)> {
        self.params.iter().map(|param| param.scaled.bounds).collect()
    }

    pub(super) fn values(&self, at: &[f64]) -> Vec<f64> {
        self.params.iter().zip(at).map(|(param, at)| param.scaled.scale.value(*at)).collect()
    }

    fn cost(&self, found: &Evaluation, unit: f64, method: Method) -> f64 {
        if found.failure.is_some() {
            return f64::INFINITY;
        }
        let violations = found.met.iter().filter(|met| met.violated_at.is_some());
        // A requirement that is violated by 0 is still worse than one that is met.
        let sum: f64 = violations.map(|met| (-met.relative).max(f64::MIN_POSITIVE)).sum();
        let sign = if self.is_maximized() == Some(true) { -1.0 } else { 1.0 };
        let objective = found.objective.map_or(0.0, |figure| sign * figure / unit);
        match method {
            _ if sum.is_nan() || objective.is_nan() => f64::INFINITY,
            Method::Bobyqa => objective + PENALTY * sum,
            Method::CmaEs if sum > 0.0 && self.is_maximized().is_some() => VIOLATED + sum,
            Method::CmaEs if sum > 0.0 => sum,
            // The evolution sees which costs are smaller, and not by how much.
            Method::CmaEs => objective.atan(),
        }
    }
}

/// The search of a thread.
struct Search<'a> {
    study: &'a Study,
    gradient: Option<Violations<'a>>,
    executions: RefCell<Executions>,
    /// Of all threads.
    evaluations: &'a AtomicU64,
    /// The size of the objective.
    unit: f64,
    options: &'a SearchOptions,
    cancel: &'a Cancel,
}

impl Search<'_> {
    /// Returns the best point from a start, with its cost.
    fn minimum(&self, index: usize, start: &[f64], news: &mut dyn FnMut(OptimumProgress)) -> Minimum {
        let mut tell = |iterate: Iterate| {
            let (values, evaluations) = (self.study.values(iterate.at), self.evaluations.load(Ordering::Relaxed));
            news(OptimumProgress { start: index, values, evaluations });
        };
        let (bounds, black_box) = (self.study.bounds(), &self.options.black_box);
        let mut start = start.to_vec();
        if let Some(gradient) = &self.gradient {
            let options = MinimizeOptions {
                max_iterations: black_box.max_evaluations,
                tolerance: black_box.tolerance,
                ..MinimizeOptions::default()
            };
            let mut look = |iterate: Iterate| {
                self.evaluations.fetch_add(1, Ordering::Relaxed);
                tell(iterate);
            };
            let found = minimize(gradient, &start, &bounds, &options, &mut look);
            // One more run, even if the search was cancelled: its best values have a cost then, too.
            let cost = self.cost_of(&found.at, &Cancel::new()).unwrap_or(f64::INFINITY);
            if cost <= 0.0 || self.options.method == SearchMethod::Gradient || found.end == End::Cancelled {
                return Minimum { sum: cost, ..found };
            }
            start = found.at;
        }
        let goal = if self.study.is_maximized().is_some() { f64::NEG_INFINITY } else { 0.0 };
        let seed = self.options.seed.wrapping_add(index as u64);
        let options = BlackBoxOptions { goal, seed, ..*black_box };
        minimize_black_box(&Function(&|at| self.cost(at)), &start, &bounds, &options, &mut tell)
    }

    fn cost(&self, at: &[f64]) -> Result<f64, Cancelled> {
        self.cost_of(at, self.cancel)
    }

    fn cost_of(&self, at: &[f64], cancel: &Cancel) -> Result<f64, Cancelled> {
        let (study, values) = (self.study, self.study.values(at));
        let found = study.evaluate_with(&values, &mut self.executions.borrow_mut(), cancel)?;
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        Ok(study.cost(&found, self.unit, self.options.black_box.method))
    }
}

/// A function of coordinates.
pub(super) struct Function<'a>(pub &'a dyn Fn(&[f64]) -> Result<f64, Cancelled>);

impl BlackBox for Function<'_> {
    fn cost(&self, at: &[f64]) -> Result<f64, Cancelled> {
        (self.0)(at)
    }
}
