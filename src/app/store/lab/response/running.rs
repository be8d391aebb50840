//! A search for parameters that meet requirements, on a background thread.

use std::sync::Arc;

use super::experiment::{ResponseError, ResponseInput, SimulatedResponse};
use crate::app::store::lab::search::{FramePace, Reports, RunningSearch, SearchInput, workers};
use crate::block::Cancel;
use crate::model::Simulation;
use crate::requirement::{Evaluation, Optimum, SearchOptions};

/// A search, in progress or finished.
pub type RunningResponse = RunningSearch<ResponseInput>;

/// The best values so far.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseProgress {
    pub values: Vec<f64>,
    /// The smallest margin as a part of the bound; 0 without requirements.
    pub worst: f64,
    pub objective: Option<f64>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseResult {
    /// The paths of the parameters, with their values before.
    pub params: Vec<(String, f64)>,
    pub optimum: Optimum,
}

impl SearchInput for ResponseInput {
    type Curves = Option<Arc<SimulatedResponse>>;
    type Progress = ResponseProgress;
    type Outcome = ResponseResult;

    const NAME: &'static str = "search";

    fn simulation(&self) -> &Arc<Simulation> {
        &self.simulation
    }

    fn value(progress: &ResponseProgress) -> f64 {
        progress.worst
    }

    fn search(&self, cancel: &Cancel, reports: &Reports<ResponseInput>) -> Result<ResponseResult, String> {
        work(self, cancel, reports).map_err(|error| error.to_string())
    }
}

fn work(
    input: &ResponseInput,
    cancel: &Cancel,
    reports: &Reports<ResponseInput>,
) -> Result<ResponseResult, ResponseError> {
    let compiled = input.study()?;
    let study = &compiled.study;
    let (mut runs, mut pace) = (study.responses(), FramePace::new());
    let initial = study.initial();
    let mut best = None;
    if let Some(first) = compiled.at(&mut runs, &initial, cancel) {
        best = Some(Rank::of(first.evaluation(), input));
        reports.before(Some(Arc::new(first)));
    }
    let options = SearchOptions { workers: workers(), ..input.options.clone() };
    let optimum = study.optimize(&options, cancel, &mut |progress| {
        let Some(now) = pace.next(|| compiled.at(&mut runs, &progress.values, cancel)) else { return };
        // Each start has its own best values, and only better ones than all others are shown.
        let rank = Rank::of(now.evaluation(), input);
        if best.is_none_or(|best| rank.is_better(best)) {
            best = Some(rank);
            reports.better(progress_of(progress.values, &now), Some(Some(Arc::new(now))));
        }
    })?;
    // The last response is that of the result, even if it was stopped.
    if let Some(now) = compiled.at(&mut runs, &optimum.values, &Cancel::new()) {
        reports.last(progress_of(optimum.values.clone(), &now), Some(Arc::new(now)));
    }
    let params = study.params().map(str::to_owned).zip(initial).collect();
    Ok(ResponseResult { params, optimum })
}

fn progress_of(values: Vec<f64>, now: &SimulatedResponse) -> ResponseProgress {
    ResponseProgress { values, worst: now.worst().unwrap_or(0.0), objective: now.evaluation().objective }
}

/// How good values are: first the violations, then the objective; smaller is better.
#[derive(Clone, Copy, Debug)]
struct Rank {
    violations: f64,
    objective: f64,
}

impl Rank {
    fn of(found: &Evaluation, input: &ResponseInput) -> Rank {
        let violated = found.met.iter().filter(|met| met.violated_at.is_some());
        let violations: f64 = violated.map(|met| (-met.relative).max(f64::MIN_POSITIVE)).sum();
        let is_maximized = input.question.objective.as_ref().is_some_and(|objective| objective.is_maximized);
        let objective = found.objective.unwrap_or(0.0);
        let violations = if found.failure.is_some() || violations.is_nan() { f64::INFINITY } else { violations };
        Rank { violations, objective: if is_maximized { -objective } else { objective } }
    }

    fn is_better(self, other: Rank) -> bool {
        (self.violations, self.objective) < (other.violations, other.objective)
    }
}
