//! The search for values with which all requirements are met and the objective is best.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Evaluation, Study};
use crate::engine::Cancel;
use crate::optimize::{
    BlackBox, BlackBoxOptions, Cancelled, End, Iterate, Method, Minimum, minimize_black_box, spread,
};
use crate::trial::{Executions, from_starts};

/// How a search proceeds.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    pub black_box: BlackBoxOptions,
    /// The number of starts: the values of the file, and others between the bounds.
    pub starts: usize,
    /// The seed of the other starts and of the searches.
    pub seed: u64,
    /// The number of searches at the same time.
    pub workers: NonZeroUsize,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        SearchOptions { black_box: BlackBoxOptions::default(), starts: 1, seed: 0, workers }
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
    /// Once cancelled, it returns the best values so far.
    pub fn optimize(&self, options: &SearchOptions, cancel: &Cancel, look: &mut dyn FnMut(OptimumProgress)) -> Optimum {
        let unstoppable = Cancel::new();
        let initial = self.initial();
        let failed = |_| Evaluation { met: Vec::new(), objective: None, failure: Some("cancelled".to_owned()) };
        let before = self.evaluate(&initial, &unstoppable).unwrap_or_else(failed);
        let evaluations = AtomicU64::new(1);
        if self.is_maximized().is_none() && before.is_met() {
            return Optimum { values: initial, after: before.clone(), before, evaluations: 1, end: End::Converged };
        }
        // The objective in units of its first value.
        let unit = before.objective.map(f64::abs).filter(|size| *size > 0.0 && size.is_finite()).unwrap_or(1.0);
        let goal = if self.is_maximized().is_some() { f64::NEG_INFINITY } else { 0.0 };
        let starts = self.starts(options);
        let bounds = self.bounds();
        let search = |executions: &mut RefCell<Executions>, index: usize, news: &mut dyn FnMut(OptimumProgress)| {
            let cost = |at: &[f64]| {
                let found = self.evaluate_with(&self.values(at), self.steps(), &mut executions.borrow_mut(), cancel)?;
                evaluations.fetch_add(1, Ordering::Relaxed);
                Ok(self.cost(&found, unit, options.black_box.method))
            };
            let mut tell = |iterate: Iterate| {
                let (values, evaluations) = (self.values(iterate.at), evaluations.load(Ordering::Relaxed));
                news(OptimumProgress { start: index, values, evaluations });
            };
            let seed = options.seed.wrapping_add(index as u64);
            let options = BlackBoxOptions { goal, seed, ..options.black_box };
            let start = starts.get(index).map_or(&[][..], |start| start);
            minimize_black_box(&Function(&cost), start, &bounds, &options, &mut tell)
        };
        let state = || RefCell::new(Executions::default());
        let found = from_starts((starts.len(), options.workers), cancel, state, search, look);
        let best = found.into_iter().flatten().min_by(|one, other| one.sum.total_cmp(&other.sum));
        let best = best.filter(|best| best.sum < self.cost(&before, unit, options.black_box.method));
        let kept = || Minimum { at: Vec::new(), sum: f64::INFINITY, iterations: 0, end: End::Converged };
        let is_kept = best.is_none();
        let best = best.unwrap_or_else(kept);
        let values = if is_kept { initial } else { self.values(&best.at) };
        // The values once more, even if the search was cancelled.
        let after = self.evaluate(&values, &unstoppable).unwrap_or_else(failed);
        let end = if cancel.is_cancelled() { End::Cancelled } else { best.end };
        Optimum { values, before, after, evaluations: evaluations.into_inner(), end }
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

/// A function of coordinates.
pub(super) struct Function<'a>(pub &'a dyn Fn(&[f64]) -> Result<f64, Cancelled>);

impl BlackBox for Function<'_> {
    fn cost(&self, at: &[f64]) -> Result<f64, Cancelled> {
        (self.0)(at)
    }
}
