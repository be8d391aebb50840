//! Runs of a simulation with values of chosen parameters: what calibration, optimisation of a response and falsification
//! repeat. It knows neither measured curves nor requirements.
//!
//! | module | contents |
//! |---|---|
//! | `free_param` | a parameter to choose: path, bounds, scale |
//! | `found_param` | where a parameter is in a program, and its value in the file |
//! | `scaled_param` | a parameter as the optimizer sees it |
//! | `starts` | searches from several starts at the same time |
//! | `trial_run` | a simulation that is compiled, run with values of its parameters |
//! | `write_back` | the change of the document that writes chosen values |

mod found_param;
mod free_param;
mod scaled_param;
mod starts;
mod trial_run;
mod write_back;

use crate::engine::OverrideError;
use crate::model::Diagnostic;

pub use found_param::split_element;
pub(crate) use found_param::{FoundParam, all_elements, find};
pub use free_param::{FreeParam, ParamTextError};
pub(crate) use scaled_param::ScaledParam;
pub(crate) use starts::from_starts;
pub(crate) use trial_run::{Executions, NoSensitivity, TrialEnd, TrialRun};
pub use write_back::{WriteBackError, change_of};

/// Why a simulation cannot be run with values of chosen parameters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    #[error("{}", .0.first().map_or("", |first| &first.message))]
    Compile(Vec<Diagnostic>),
    #[error(transparent)]
    Override(#[from] OverrideError),
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
}
