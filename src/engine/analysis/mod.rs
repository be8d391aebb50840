//! Linear analysis of a program at one of its steps: exact, from the derivatives of the tapes.
//!
//! [`Linear`] is the state space model, [`Linear::channel`] one channel of it with poles, zeros, frequency and time
//! responses. [`Trim`] finds an equilibrium. All arithmetic is our own, so that every machine gives the same bits.

mod channel;
mod delayed_time;
mod delays;
mod feedback;
mod frequency;
mod linear;
mod margins;
mod root_locus;
mod sampled;
mod slopes;
mod time;
mod trim;
mod zeros;

pub use self::channel::Channel;
pub use self::delays::{Delayed, LinearDelay};
pub use self::feedback::feedback_loops;
pub use self::frequency::{FrequencyPoint, Response};
pub use self::linear::{Linear, LinearState, LinearizeRequest, SignalElement};
pub use self::margins::Margins;
pub use self::root_locus::RootLocus;
pub use self::time::TimeResponse;
pub use self::trim::{Target, Trim, TrimResult};

pub use crate::block::math::Matrix;
use crate::model::SignalKey;

/// The reason why an analysis fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    #[error("there is no signal “{}” of block {}, or it has fewer elements", .0.output, .0.block)]
    NoSignal(SignalKey),
    #[error("block {} is part of an algebraic loop; choose a signal before or behind it", .0.block)]
    InLoop(SignalKey),
    #[error("the step cannot be completed: {0}")]
    Step(String),
    #[error("there are {states} states; the analysis is limited to {most}")]
    TooMany { states: usize, most: usize },
    #[error("the sample times have a common period of {steps} steps; the analysis is limited to {most}")]
    Rates { steps: u64, most: u64 },
    #[error("with a Padé form of order {0} the delays close a loop without a solution; choose another order")]
    Pade(usize),
    #[error("a delay that is shorter than a step closes a loop without a solution; take a shorter step")]
    DelayLoop,
    #[error("no equilibrium is found: a residual of {0} remains after {1} iterations")]
    NoEquilibrium(f64, usize),
    #[error("{0}")]
    Param(#[from] super::ParamError),
}
