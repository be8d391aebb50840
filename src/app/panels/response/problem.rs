//! Why the search cannot begin yet: each message says what to do next.

use crate::app::panels::param_list::ParamProblem;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ResponseProblem {
    #[error("Add a requirement, or choose what to minimize")]
    NoRequirement,
    #[error("Choose the parameters to vary")]
    NoParam,
    #[error("“{0}”: the signal is not in the simulation any more; choose another one")]
    NoSignal(String),
    #[error("The signal of the objective is not in the simulation any more; choose another one")]
    NoObjectiveSignal,
    #[error("{0} is varied; it cannot have a tolerance, too")]
    Both(String),
    #[error(transparent)]
    Param(#[from] ParamProblem),
}

impl ResponseProblem {
    /// Whether nothing is wrong, and only the next choice is open.
    pub fn is_next_choice(&self) -> bool {
        matches!(self, ResponseProblem::NoRequirement | ResponseProblem::NoParam)
    }
}
