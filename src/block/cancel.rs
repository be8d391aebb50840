//! Ending a run from outside, within a step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether a run is to end as soon as it can.
///
/// Clones belong together: whoever has one ends what polls another. Every engine polls it in every step, in every run
/// of an iterated subsystem, whenever a solver asks for rates, in the search for what closes an algebraic loop, and while
/// it waits for code that is not ours.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    asked: Arc<AtomicU64>,
    /// How many of those that were asked for are over and done with.
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

    /// Takes one call of [`Cancel::cancel`] for done, so that with this one another run can begin.
    pub fn hear(&mut self) {
        self.heard += 1;
    }
}
