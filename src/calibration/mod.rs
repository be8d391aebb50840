//! Calibration: fits parameters of a simulation to measured curves.
//!
//! A [`Calibration`] is made of experiments, each a set-up of a run with the curves that were measured in it, and of the
//! parameters to fit. [`Calibration::fit`] runs the simulation with values that the optimizer chooses, until the weighted
//! sum of squares between simulation and measurement is least. It may be cancelled at any time, and then has the best
//! values so far. The result can be written into a document as one change ([`change_of`]).
//!
//! | module | contents |
//! |---|---|
//! | `experiment` | an experiment, and the errors |
//! | `options` | how a fit proceeds, and where it is |
//! | `measured` | measured curves, from tables of numbers |
//! | `parameter` | the parameters to fit |
//! | `experiment_run` | an experiment that is compiled: its values and derivatives at the measured times |
//! | `readings` | which steps of a run give the values at the measured times |
//! | `problem` | the residuals of all experiments as the optimizer sees them |
//! | `prepared` | [`Calibration`]: experiments and parameters, compiled |
//! | `fit` | the fit, from several starts on several threads |
//! | `outcome` | what comes out: values, confidence, correlations |
//! | `likelihood` | confidence intervals by profile likelihood |
//!
//! Derivatives are those of [`crate::engine::Sensitivity`] where it has them, and finite differences otherwise.

mod experiment;
mod experiment_run;
mod fit;
mod likelihood;
mod measured;
mod options;
mod outcome;
mod parameter;
mod prepared;
mod problem;
mod readings;

pub use experiment::{CalibrationError, Experiment};
pub use likelihood::ParamProfile;
pub use measured::{ColumnWeights, DataError, MeasuredCurve, MeasuredRow, TableColumns};
pub use options::{FitOptions, FitProgress};
pub use outcome::{CurveFit, FitOutcome, FittedParam, StartOutcome, change_of};
pub use parameter::CalibrationParam;
pub use prepared::{Calibration, Gradients, RunCounts};
