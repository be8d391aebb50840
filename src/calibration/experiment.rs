//! Experiments, and why they cannot be fitted.

use super::measured::MeasuredCurve;
use crate::engine::{OverrideError, RunSetup};
use crate::model::Diagnostic;

/// A run with the curves that were measured in it.
#[derive(Clone)]
pub struct Experiment {
    /// As messages and results name it.
    pub name: String,
    /// The simulation with the inputs, initial values and other options of this experiment.
    pub setup: RunSetup,
    pub curves: Vec<MeasuredCurve>,
}

/// Why there is nothing to fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    #[error("there are no parameters to fit")]
    NoParam,
    #[error("there are no measured curves")]
    NoCurve,
    #[error("{}", .0.first().map_or("", |first| &first.message))]
    Compile(Vec<Diagnostic>),
    #[error(transparent)]
    Override(#[from] OverrideError),
    #[error("{0}: no signal has its values")]
    NoSignal(String),
    #[error("{0}: a run has {1} steps up to the last measured time; use a larger step length")]
    TooLong(String, u64),
    #[error("{0} is the expression “{1}”; only numbers can be fitted")]
    Expression(String, String),
    #[error("{0} has {1} elements; name one of them, counted from 0, as in {0}[0]")]
    Vector(String, usize),
    #[error("{0} has no element of this index")]
    NoElement(String),
    #[error("{0} is given twice")]
    Twice(String),
    #[error("{path}: its value {start} is not between the bounds {low} and {high}; choose another one with --set")]
    Start { path: String, start: f64, low: f64, high: f64 },
    #[error("{params} parameters cannot be fitted to {rows} measured values")]
    TooFew { params: usize, rows: usize },
    #[error("the simulation has no values at the measured times with the values of the file: {0}")]
    NoStart(String),
}
