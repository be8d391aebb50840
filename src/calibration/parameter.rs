//! The parameters to fit.

use serde::{Deserialize, Serialize};

use crate::trial::{FreeParam, ParamTextError};

/// A parameter to fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationParam {
    /// A variable of the simulation, the path of an option, or that of an element of one with its index in brackets.
    pub path: String,
    pub low: f64,
    pub high: f64,
    /// Whether the optimizer sees its logarithm: for values whose order of magnitude is open.
    pub is_log: bool,
    /// The only experiment that has it; `None`: all have the same value.
    pub experiment: Option<usize>,
}

impl CalibrationParam {
    /// Parses a parameter of all experiments.
    ///
    /// # Errors
    /// If the text is malformed, or the bounds are.
    pub fn parse(text: &str) -> Result<CalibrationParam, ParamTextError> {
        let FreeParam { path, low, high, is_log } = FreeParam::parse(text)?;
        Ok(CalibrationParam { path, low, high, is_log, experiment: None })
    }

    pub(super) fn free(&self) -> FreeParam {
        FreeParam { path: self.path.clone(), low: self.low, high: self.high, is_log: self.is_log }
    }
}
