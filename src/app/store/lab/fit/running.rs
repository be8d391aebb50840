//! A fit on a background thread: its curves while it runs, and its result.

use std::sync::Arc;

use super::experiment::{FitError, FitInput, SimulatedCurve, text_of};
use crate::app::store::lab::search::{FramePace, Reports, RunningSearch, SearchInput, workers};
use crate::block::Cancel;
use crate::calibration::{FitOptions, FitOutcome, FitProgress};
use crate::model::Simulation;

/// A fit, in progress or finished.
pub type RunningFit = RunningSearch<FitInput>;

impl SearchInput for FitInput {
    type Curves = Vec<SimulatedCurve>;
    type Progress = FitProgress;
    type Outcome = FitOutcome;

    const NAME: &'static str = "fit";

    fn simulation(&self) -> &Arc<Simulation> {
        &self.simulation
    }

    fn value(progress: &FitProgress) -> f64 {
        progress.sum
    }

    fn search(&self, cancel: &Cancel, reports: &Reports<FitInput>) -> Result<FitOutcome, String> {
        work(self, cancel, reports).map_err(|error| text_of(&error))
    }
}

fn work(input: &FitInput, cancel: &Cancel, reports: &Reports<FitInput>) -> Result<FitOutcome, FitError> {
    let calibration = input.calibration()?;
    let (runs, mut pace) = (input.curves(&input.params)?, FramePace::new());
    if let Some(curves) = runs.at(&calibration.initial(), cancel) {
        reports.before(curves);
    }
    let options = FitOptions { workers: workers(), ..input.options.clone() };
    let mut best = f64::INFINITY;
    let outcome = calibration.fit(&options, cancel, &mut |progress| {
        if progress.sum < best {
            best = progress.sum;
            let curves = pace.next(|| runs.at(&progress.values, cancel));
            reports.better(progress, curves);
        }
    })?;
    let values: Vec<f64> = outcome.params.iter().map(|param| param.value).collect();
    // The last curves are those of the result, even if it was stopped.
    if let Some(curves) = runs.at(&values, &Cancel::new()) {
        let progress = FitProgress { start: 0, iteration: outcome.iterations, values, sum: outcome.after };
        reports.last(progress, curves);
    }
    Ok(outcome)
}
