//! The experiment of a fit: measured curves of one run, and the simulated curves that are drawn with them.

use std::sync::Arc;

use crate::block::{Cancel, Registry};
use crate::calibration::{
    Calibration, CalibrationError, CalibrationParam, Experiment, FitOptions, FittedParam, MeasuredCurve, MeasuredRow,
    change_of,
};
use crate::engine::{Engine, Engines, RunSetup};
use crate::model::{Document, EditError, Simulation};
use crate::trial::{TrialError, WriteBackError};

/// A measured curve, and how the simulated one is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct FitCurve {
    pub measured: MeasuredCurve,
    /// Whether the signal holds its values between samples.
    pub is_held: bool,
}

/// The input of a fit. Its other starts are spread between bounds.
#[derive(Clone)]
pub struct FitInput {
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    pub engines: Engines,
    /// The name of the data file.
    pub name: String,
    pub curves: Arc<[FitCurve]>,
    pub params: Vec<CalibrationParam>,
    /// Values from which the fit starts, where they are not those of the simulation, with their paths.
    pub starts: Vec<(String, f64)>,
    pub options: FitOptions,
}

/// Why a fit has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum FitError {
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    #[error(transparent)]
    Start(#[from] WriteBackError),
    #[error(transparent)]
    Refused(#[from] EditError),
}

/// The simulated values at evenly spread times up to the last measured one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedCurve {
    pub times: Vec<f64>,
    pub values: Vec<f64>,
}

/// The approximate number of points of a simulated curve.
const POINTS: u64 = 400;

impl FitInput {
    /// Returns whether the simulated curves are those of another input.
    pub fn has_curves_of(&self, other: &FitInput) -> bool {
        let is_same = |(one, other): (&FitCurve, &FitCurve)| {
            let (one, other) = (&one.measured, &other.measured);
            let end = |curve: &MeasuredCurve| end_of(curve).to_bits();
            (&one.signal, one.element, end(one)) == (&other.signal, other.element, end(other))
        };
        Arc::ptr_eq(&self.simulation, &other.simulation)
            && Arc::ptr_eq(&self.registry, &other.registry)
            && self.starts == other.starts
            && self.curves.len() == other.curves.len()
            && (Arc::ptr_eq(&self.curves, &other.curves) || self.curves.iter().zip(other.curves.iter()).all(is_same))
    }

    fn setup(&self) -> Result<RunSetup, FitError> {
        let mut document = Document::new(Simulation::clone(&self.simulation), Arc::clone(&self.registry));
        let starts: Vec<FittedParam> =
            self.starts.iter().map(|(path, value)| FittedParam::with_value(path, *value)).collect();
        document.apply(&change_of(&starts, &self.simulation, &self.registry, true)?)?;
        Ok(RunSetup::of(&document))
    }

    fn engine(&self) -> Option<&Arc<dyn Engine>> {
        self.engines.get(Engines::DEFAULT)
    }

    /// Prepares the fit.
    pub(super) fn calibration(&self) -> Result<Calibration, FitError> {
        let curves = self.curves.iter().map(|curve| curve.measured.clone()).collect();
        let experiment = Experiment { name: self.name.clone(), setup: self.setup()?, curves };
        let engine = self.engine().ok_or(CalibrationError::NoCurve)?;
        Ok(Calibration::new(vec![experiment], &self.params, engine)?)
    }

    /// Prepares the runs for the simulated curves with values of `params`.
    pub(super) fn curves(&self, params: &[CalibrationParam]) -> Result<CurveRuns, FitError> {
        let times: Vec<Vec<f64>> =
            self.curves.iter().map(|curve| times_of(&curve.measured, self.simulation.delta)).collect();
        let curves = self.curves.iter().zip(&times).map(|(curve, times)| MeasuredCurve {
            rows: times.iter().map(|time| MeasuredRow { time: *time, value: 0.0, weight: 0.0 }).collect(),
            ..curve.measured.clone()
        });
        let experiment = Experiment { name: self.name.clone(), setup: self.setup()?, curves: curves.collect() };
        let engine = self.engine().ok_or(CalibrationError::NoCurve)?;
        Ok(CurveRuns { runs: Calibration::simulation(vec![experiment], params, engine)?, times })
    }

    /// Returns the simulated curves with the values of the simulation.
    pub(super) fn simulated(&self, cancel: &Cancel) -> Result<Vec<SimulatedCurve>, FitError> {
        Ok(self.curves(&[])?.at(&[], cancel).unwrap_or_default())
    }
}

/// Runs for simulated curves.
pub(super) struct CurveRuns {
    runs: Calibration,
    times: Vec<Vec<f64>>,
}

impl CurveRuns {
    /// Returns the curves with these values of the parameters; `None` if it is cancelled.
    pub fn at(&self, values: &[f64], cancel: &Cancel) -> Option<Vec<SimulatedCurve>> {
        let all = self.runs.simulated(values, cancel).ok()?.concat();
        let mut all = all.into_iter();
        let curve = |times: &Vec<f64>| SimulatedCurve {
            times: times.clone(),
            values: all.by_ref().take(times.len()).collect(),
        };
        Some(self.times.iter().map(curve).collect())
    }
}

fn end_of(curve: &MeasuredCurve) -> f64 {
    curve.rows.iter().fold(0.0, |end: f64, row| end.max(row.time))
}

/// Returns the times of steps, evenly spread up to the last measured time.
fn times_of(curve: &MeasuredCurve, delta: f64) -> Vec<f64> {
    let steps = (end_of(curve) / delta).ceil();
    if !(steps.is_finite() && steps >= 0.0) {
        return Vec::new();
    }
    let stride = (steps / POINTS as f64).ceil().max(1.0);
    let count = (steps / stride).floor() as u64;
    let mut times: Vec<f64> = (0..=count).map(|number| number as f64 * stride * delta).collect();
    let end = end_of(curve);
    times.retain(|time| *time < end);
    times.push(end);
    times
}

/// Returns the message of an error, in the words of the window.
pub(super) fn text_of(error: &FitError) -> String {
    let FitError::Calibration(error) = error else { return error.to_string() };
    match error {
        CalibrationError::Trial(TrialError::Start { path, start, low, high }) => {
            format!("{path}: the start {start} is not between the bounds {low} and {high}")
        }
        CalibrationError::TooLong(_, steps) => {
            format!(
                "A run has {steps} steps up to the last measured time; choose a larger step length in the settings of the \
                 simulation, or look whether the times are in seconds"
            )
        }
        CalibrationError::NoStart(why) => {
            format!("The simulation has no values at the measured times with the starts of the parameters: {why}")
        }
        CalibrationError::TooFew { params, rows } => {
            format!("{params} parameters cannot be fitted to {rows} measured values; choose fewer of them")
        }
        CalibrationError::Trial(TrialError::Compile(found)) => {
            let first = found.iter().find(|found| found.is_error()).map_or("", |found| &found.message);
            format!("The simulation has errors: {first}")
        }
        error => error.to_string(),
    }
}
