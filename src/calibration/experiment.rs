//! Experiments, and why they cannot be fitted.

use super::measured::MeasuredCurve;
use crate::engine::RunSetup;
use crate::trial::TrialError;

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
    #[error(transparent)]
    Trial(#[from] TrialError),
    #[error("{0}: no signal has its values")]
    NoSignal(String),
    #[error("{0}: a run has {1} steps up to the last measured time; use a larger step length")]
    TooLong(String, u64),
    #[error("{params} parameters cannot be fitted to {rows} measured values")]
    TooFew { params: usize, rows: usize },
    #[error("the simulation has no values at the measured times with the values of the file: {0}")]
    NoStart(String),
}
