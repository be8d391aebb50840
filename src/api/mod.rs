//! What most users of the crate need: a simulation as a document, and its runs.
//!
//! | type | what it is |
//! |---|---|
//! | [`Simulation`] | the document: opened, read, changed, checked, saved |
//! | [`Opener`] | how it is opened: blocks, formats and engines, and the files that blocks may access |
//! | [`Run`], [`RunOptions`] | a run of it: steps, parameters, recorded signals, checkpoints |
//! | [`Error`], [`ErrorKind`] | what every call may return |
//!
//! This layer knows neither the window nor the command line. The wheel for Python wraps it.

mod error;
mod opener;
mod run;
mod simulation;

pub use error::{Error, ErrorKind};
pub use opener::Opener;
pub use run::{Run, RunOptions};
pub use simulation::Simulation;
