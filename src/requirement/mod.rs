//! Requirements on runs, and the search for parameters that meet or violate them.
//!
//! A [`Requirement`] is a condition on a signal along a run, or a check block. A [`Study`] is a simulation with parameters
//! to choose; [`Study::optimize`] chooses them so that all requirements are met and an objective is best,
//! [`Study::falsify`] so that a requirement is violated.
//!
//! | module | contents |
//! |---|---|
//! | `text` | [`Requirement`]: conditions, as users write them |
//! | `figure` | figures of a curve: overshoot, settling time, … |
//! | `monitor` | follows a run, and says by how much a condition is met |
//! | `checks` | the check blocks of a simulation as requirements |
//! | `study` | [`Study`]: the simulation and its requirements, compiled; runs with values |
//! | `gradient` | the search that follows exact derivatives |
//! | `optimum` | the search for the best values |
//! | `response` | the curves of the signals that requirements are about, to be drawn |
//! | `falsify` | the search for a violation |
//! | `reduce` | makes the values of a violation simple |

mod checks;
mod falsify;
mod figure;
mod gradient;
mod monitor;
mod optimum;
mod reduce;
mod response;
mod study;
mod text;

pub use falsify::{Falsification, FalsifyProgress, Violation};
pub use figure::Figure;
pub use optimum::{GradientError, Optimum, OptimumProgress, SearchMethod, SearchOptions};
pub use response::{ResponseCurve, ResponseRuns, StepLevels, StudyResponse};
pub use study::{Evaluation, Met, Objective, Question, Study, StudyError};
pub use text::{Condition, Relation, Requirement, RequirementTextError, When, parse_figure, reference_parts};
