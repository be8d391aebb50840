//! The calibration: its experiments and parameters, compiled.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::experiment::{CalibrationError, Experiment};
use super::experiment_run::{Derivatives, ExperimentRun};
use super::parameter::CalibrationParam;
use crate::engine::Engine;
use crate::trial::{ScaledParam, TrialError};

/// Where derivatives are from.
#[derive(Clone, Debug, PartialEq)]
pub enum Gradients {
    /// They are exact: the model was differentiated.
    Sensitivities,
    /// Finite differences, for this reason.
    Differences(String),
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub plain: AtomicU64,
    pub with_tangents: AtomicU64,
}

/// How many runs a calibration took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    pub plain: u64,
    pub with_derivatives: u64,
}

impl RunCounts {
    /// Returns the runs since `before`.
    pub fn since(self, before: RunCounts) -> RunCounts {
        RunCounts {
            plain: self.plain - before.plain.min(self.plain),
            with_derivatives: self.with_derivatives - before.with_derivatives.min(self.with_derivatives),
        }
    }
}

/// A parameter to fit, and how the optimizer sees it.
pub(super) struct FitParam {
    pub wanted: CalibrationParam,
    pub scaled: ScaledParam,
}

/// Experiments and parameters, compiled and ready.
pub struct Calibration {
    pub(super) params: Vec<FitParam>,
    pub(super) runs: Vec<ExperimentRun>,
    pub(super) experiments: Vec<Experiment>,
    pub(super) counts: Counts,
}

impl Calibration {
    /// Prepares a calibration. `engine` executes the runs without derivatives.
    ///
    /// # Errors
    /// If an experiment is invalid, or a parameter does not exist or cannot be fitted.
    pub fn new(
        experiments: Vec<Experiment>,
        params: &[CalibrationParam],
        engine: &Arc<dyn Engine>,
    ) -> Result<Calibration, CalibrationError> {
        if params.is_empty() {
            return Err(CalibrationError::NoParam);
        }
        let prepared = Calibration::prepare(experiments, params, engine, Derivatives::Wanted)?;
        let rows: usize = prepared.runs.iter().map(|run| run.measured.len()).sum();
        if rows < params.len() {
            return Err(CalibrationError::TooFew { params: params.len(), rows });
        }
        Ok(prepared)
    }

    /// Prepares runs that are only simulated, by [`Calibration::simulated`]: without parameters too, and for any number of
    /// times.
    ///
    /// # Errors
    /// As [`Calibration::new`].
    pub fn simulation(
        experiments: Vec<Experiment>,
        params: &[CalibrationParam],
        engine: &Arc<dyn Engine>,
    ) -> Result<Calibration, CalibrationError> {
        Calibration::prepare(experiments, params, engine, Derivatives::NotWanted)
    }

    fn prepare(
        experiments: Vec<Experiment>,
        params: &[CalibrationParam],
        engine: &Arc<dyn Engine>,
        derivatives: Derivatives,
    ) -> Result<Calibration, CalibrationError> {
        for (index, param) in params.iter().enumerate() {
            let is_same = |other: &&CalibrationParam| {
                let is_shared = other.experiment.is_none() || param.experiment.is_none();
                other.free.path == param.free.path && (is_shared || other.experiment == param.experiment)
            };
            if let Some(twice) = params.iter().take(index).find(is_same) {
                return Err(TrialError::Twice(twice.free.path.clone()).into());
            }
        }
        let mut runs = Vec::new();
        for (number, experiment) in experiments.iter().enumerate() {
            let is_own = |param: &CalibrationParam| param.experiment.is_none_or(|only| only == number);
            let own = params.iter().enumerate().filter(|(_, param)| is_own(param));
            let own: Vec<(usize, &str)> = own.map(|(index, param)| (index, &*param.free.path)).collect();
            runs.push(ExperimentRun::new(experiment, &own, engine, derivatives)?);
        }
        if runs.iter().all(|run| run.measured.is_empty()) {
            return Err(CalibrationError::NoCurve);
        }
        let mut found = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let of_runs = runs.iter().flat_map(|run| run.params.iter().zip(run.trial.params()));
            let place = of_runs.into_iter().find(|(of, _)| **of == index).ok_or(CalibrationError::NoParam)?;
            found.push(FitParam { wanted: param.clone(), scaled: ScaledParam::new(&param.free, place.1)? });
        }
        Ok(Calibration { params: found, runs, experiments, counts: Counts::default() })
    }

    /// Where derivatives are from.
    pub fn gradients(&self) -> Gradients {
        match self.runs.iter().find_map(|run| run.sensitivity.as_ref().err()) {
            None => Gradients::Sensitivities,
            Some(reason) => Gradients::Differences(reason.to_string()),
        }
    }

    pub(super) fn has_sensitivities(&self) -> bool {
        self.runs.iter().all(|run| run.sensitivity.is_ok())
    }

    /// The values of the parameters in the simulation.
    pub fn initial(&self) -> Vec<f64> {
        self.params.iter().map(|param| param.scaled.start).collect()
    }

    /// The number of runs so far.
    pub fn run_counts(&self) -> RunCounts {
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        RunCounts { plain: count(&self.counts.plain), with_derivatives: count(&self.counts.with_tangents) }
    }

    /// Adds runs that others computed for it.
    pub fn add_runs(&self, runs: RunCounts) {
        self.counts.plain.fetch_add(runs.plain, Ordering::Relaxed);
        self.counts.with_tangents.fetch_add(runs.with_derivatives, Ordering::Relaxed);
    }

    pub(super) fn values(&self, at: &[f64]) -> Vec<f64> {
        self.params.iter().zip(at).map(|(param, at)| param.scaled.scale.value(*at)).collect()
    }

    pub(super) fn coordinates(&self, values: &[f64]) -> Vec<f64> {
        self.params.iter().zip(values).map(|(param, value)| param.scaled.scale.coordinate(*value)).collect()
    }

    pub(super) fn bounds(&self) -> Vec<(f64, f64)> {
        self.params.iter().map(|param| param.scaled.bounds).collect()
    }
}
