//! Fits with many starts on a pool: each start is a run, whose result are its minimum and how it was found.
//!
//! | module | contents |
//! |---|---|
//! | `bundle` | a fit as it is sent: the file, the experiments with their measured values, the starts |
//! | `prepared` | a fit of a bundle, ready to search from any of its starts |
//! | `start_result` | the minimum from a start, and how it travels: as the curve of a run |

mod bundle;
mod prepared;
mod start_result;

pub use bundle::{FitBundle, FitHead, SentExperiment};
pub use prepared::PreparedFit;
pub use start_result::StartResult;
