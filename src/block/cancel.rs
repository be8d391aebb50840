//! Ending a run from outside, within a step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether a run is to end as soon as it can.
///
/// Clones belong together: a call on one ends the run that polls another. Every engine polls it in every step, in every
/// run of an iterated subsystem, whenever a solver requests rates, in the search for the solution of an algebraic loop,
/// and while it waits for code that is not ours.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    asked: Arc<AtomicU64>,
    /// The number of requests that have been handled.
    heard: u64,
}

impl Cancel {
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the run.
    pub fn cancel(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the run is to end.
    pub fn is_cancelled(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > self.heard
    }

    /// Counts one call of [`Cancel::cancel`] as handled, so that another run can begin with this object.
    pub fn hear(&mut self) {
        self.heard += 1;
    }
}
