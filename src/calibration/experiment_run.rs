//! An experiment that is compiled: runs with values of the parameters, and what they have at the measured times.

use std::sync::Arc;

use super::experiment::{CalibrationError, Experiment};
use super::readings::{Reading, readings};
use crate::engine::{Cancel, Engine, Samples, Sensitivity};
use crate::optimize::Cancelled;
use crate::trial::{Executions, NoSensitivity, TrialEnd, TrialRun};

/// An experiment that is compiled.
pub(super) struct ExperimentRun {
    pub trial: TrialRun,
    readings: Vec<Reading>,
    /// The number of steps that a run takes.
    steps: u64,
    /// The measured values and their weights.
    pub measured: Vec<(f64, f64)>,
    /// The indices of its parameters among all.
    pub params: Vec<usize>,
    /// The program with derivatives by `params`, or the reason why they are finite differences.
    pub sensitivity: Result<Sensitivity, NoSensitivity>,
}

/// The simulated values at the measured times.
pub(super) struct Prediction {
    pub values: Vec<f64>,
    /// The derivatives by the parameters of the experiment, row after row; empty without.
    pub tangents: Vec<f64>,
    /// Why the run ended before the last of them.
    pub failure: Option<String>,
}

/// Whether an experiment is fitted or only simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Derivatives {
    Wanted,
    NotWanted,
}

/// The longest run.
const MAX_STEPS: u64 = 1_000_000_000;

impl ExperimentRun {
    /// Compiles an experiment. `params` are the paths of its parameters with their indices among all.
    ///
    /// # Errors
    /// If it is invalid, or a signal or a parameter does not exist.
    pub fn new(
        experiment: &Experiment,
        params: &[(usize, &str)],
        engine: &Arc<dyn Engine>,
        derivatives: Derivatives,
    ) -> Result<ExperimentRun, CalibrationError> {
        let paths: Vec<&str> = params.iter().map(|(_, path)| *path).collect();
        let mut trial = TrialRun::new(experiment.setup.clone(), &paths, engine)?;
        let program = Arc::clone(trial.program());
        let mut curves = Vec::new();
        for curve in &experiment.curves {
            let no_signal = || CalibrationError::NoSignal(curve.name.clone());
            let output = program.output_of(&curve.signal).ok_or_else(no_signal)?;
            if curve.element >= program.output_type(output).width {
                return Err(no_signal());
            }
            let index = trial.watch(&curve.signal).ok_or_else(no_signal)?;
            curves.push((curve, index, program.is_held(&curve.signal)));
        }
        let readings = readings(&curves, program.delta);
        let steps = readings.last().map_or(0, |last| last.step.saturating_add(1));
        if steps > MAX_STEPS {
            return Err(CalibrationError::TooLong(experiment.name.clone(), steps));
        }
        let rows = experiment.curves.iter().flat_map(|curve| &curve.rows);
        let measured = rows.map(|row| (row.value, row.weight)).collect();
        let params = params.iter().map(|(index, _)| *index).collect();
        let sensitivity = match derivatives {
            Derivatives::Wanted => trial.sensitivity(),
            Derivatives::NotWanted => Err(NoSensitivity::NotWanted),
        };
        Ok(ExperimentRun { trial, readings, steps, measured, params, sensitivity })
    }

    /// Runs with values of all parameters, and the derivatives if the experiment has them and they are asked for.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn run(
        &self,
        values: &[f64],
        with_tangents: bool,
        executions: &mut Executions,
        cancel: &Cancel,
    ) -> Result<Prediction, Cancelled> {
        let own = self.params.iter().map(|index| values.get(*index).copied().unwrap_or(f64::NAN));
        let own: Vec<f64> = own.collect();
        let sensitivity = self.sensitivity.as_ref().ok().filter(|_| with_tangents);
        let count = if sensitivity.is_some() { own.len() } else { 0 };
        let mut found = Prediction {
            values: vec![0.0; self.measured.len()],
            tangents: vec![0.0; self.measured.len() * count],
            failure: None,
        };
        let mut open = self.readings.iter().peekable();
        let mut take = |samples: &Samples| {
            let (first, end) = (samples.first(), samples.first() + samples.len() as u64);
            while let Some(reading) = open.next_if(|reading| reading.step < end) {
                let index = (reading.step - first) as usize;
                let part = |watch: usize| {
                    let values = samples.watches().get(watch).map_or(&[][..], |watch| &watch.values);
                    let width = values.len() / samples.len().max(1);
                    reading.part * values.get(index * width + reading.element).copied().unwrap_or(f64::NAN)
                };
                if let Some(value) = found.values.get_mut(reading.row) {
                    *value += part(reading.watched);
                }
                for param in 0..count {
                    if let Some(tangent) = found.tangents.get_mut(reading.row * count + param) {
                        *tangent += part(self.trial.watched() + reading.watched * count + param);
                    }
                }
            }
        };
        let end = self.trial.run(&own, (self.steps, sensitivity), executions, cancel, &mut take)?;
        if open.peek().is_some() {
            found.failure = match end {
                TrialEnd::Complete => None,
                TrialEnd::Stopped(message) => Some(message.unwrap_or_default()),
                TrialEnd::Failed(failure) => Some(failure),
            };
        }
        for reading in open {
            found.values.iter_mut().skip(reading.row).take(1).for_each(|value| *value = f64::NAN);
        }
        Ok(found)
    }
}
