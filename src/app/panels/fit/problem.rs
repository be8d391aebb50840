//! Why there is nothing to fit yet: each message says what to do next.

use crate::app::panels::param_list::ParamProblem;
use crate::calibration::DataError;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitProblem {
    #[error("Choose a file with measured curves")]
    NoFile,
    #[error("Choose the signal that a column belongs to")]
    NoCurve,
    #[error("Choose the parameters to fit")]
    NoParam,
    #[error("The signal of column “{0}” is not in the simulation any more; choose another one")]
    NoSignal(String),
    #[error("Choose the column of times")]
    NoTimes,
    #[error("Row {row} of the column of times has {time}; choose another column, or times in seconds from 0 on")]
    Time { row: usize, time: f64 },
    #[error("Column “{0}” has no numbers; choose no signal for it")]
    Empty(String),
    #[error("Column “{0}”: the weight “{1}” must be a number of at least 0, or the name of a column")]
    Weight(String, String),
    #[error("Row {row} of the weights “{name}” has {weight}; a weight is at least 0")]
    WeightRow { name: String, row: usize, weight: f64 },
    #[error(transparent)]
    Param(#[from] ParamProblem),
    /// From the data, in other cases.
    #[error("{0}")]
    Data(String),
}

impl FitProblem {
    /// Whether nothing is wrong, and only the next choice is open.
    pub fn is_next_choice(&self) -> bool {
        matches!(self, FitProblem::NoFile | FitProblem::NoCurve | FitProblem::NoParam)
    }
}

impl From<DataError> for FitProblem {
    fn from(error: DataError) -> FitProblem {
        match error {
            DataError::NoTimes => FitProblem::NoTimes,
            DataError::Time { row, time } => FitProblem::Time { row, time },
            DataError::Empty(name) => FitProblem::Empty(name),
            DataError::Weight { name, row, weight } => FitProblem::WeightRow { name, row, weight },
            error => FitProblem::Data(crate::app::ui::widgets::sentence(&error.to_string())),
        }
    }
}
