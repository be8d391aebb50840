//! Runs of the open document, and the analyses and sweeps beside them.
//!
//! | module | contents |
//! |---|---|
//! | `running` | carries out the commands and actions on runs |
//! | `recording` | the recorded signals and their plots |
//! | `spill` | the file for recorded values that do not fit in the memory |
//! | `engines` | the choice of the engine |
//! | `sensitivity` | derivatives of signals by parameters, for the plots |
//! | `lab`, `sweep`, `tuner`, `fit`, `response` | the step, analysis, sweep, tuner, fit and response panels |
//! | `choices` | what panels that search for parameters have to choose from |

mod choices;
mod engines;
mod fit;
mod lab;
mod recording;
mod response;
mod running;
mod sensitivity;
pub mod spill;
pub mod sweep;
mod tuner;
