//! The parameters to fit.

use serde::{Deserialize, Serialize};

use crate::trial::{FreeParam, ParamTextError};

/// A parameter to fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationParam {
    pub free: FreeParam,
    /// The only experiment that has it; `None`: all have the same value.
    pub experiment: Option<usize>,
}

impl CalibrationParam {
    /// Parses a parameter of all experiments.
    ///
    /// # Errors
    /// If the text is malformed, or the bounds are.
    pub fn parse(text: &str) -> Result<CalibrationParam, ParamTextError> {
        Ok(CalibrationParam { free: FreeParam::parse(text)?, experiment: None })
    }
}
