//! A sweep that is repeated while the simulation or the settings change: the last curves are shown until there are new
//! ones.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Ensemble, SweepRequest};
use crate::engine::Runs;
use crate::model::{SignalKey, Simulation};

/// A sweep that takes longer is shown while it runs.
const SHOWN_AFTER: Duration = Duration::from_millis(300);

#[derive(Default)]
pub struct LiveSweep {
    /// The sweep that is not shown yet, and when it began.
    next: Option<(Instant, Ensemble)>,
    /// The input of the last sweep.
    begun: Option<SweepInput>,
}

/// The input that the curves of a sweep depend on.
pub struct SweepInput {
    pub simulation: Arc<Simulation>,
    pub runs: Runs,
    pub signal: SignalKey,
}

impl SweepInput {
    pub fn of(request: &SweepRequest) -> SweepInput {
        let SweepRequest { simulation, runs, signal, .. } = request;
        SweepInput { simulation: Arc::clone(simulation), runs: runs.clone(), signal: signal.clone() }
    }

    fn is_like(&self, other: &SweepInput) -> bool {
        Arc::ptr_eq(&self.simulation, &other.simulation) && self.runs == other.runs && self.signal == other.signal
    }
}

impl LiveSweep {
    /// Notes the input of a sweep that is shown at once.
    pub fn begin_shown(&mut self, input: SweepInput) {
        (self.next, self.begun) = (None, Some(input));
    }

    /// Returns whether another sweep is due: the last one had another input, and is shown.
    pub fn is_due(&self, input: &SweepInput) -> bool {
        self.next.is_none() && !self.begun.as_ref().is_some_and(|begun| begun.is_like(input))
    }

    pub fn begin(&mut self, input: SweepInput, ensemble: Ensemble) {
        (self.next, self.begun) = (Some((Instant::now(), ensemble)), Some(input));
    }

    /// Returns the next sweep when it is to be shown: it is over, or has taken long.
    pub fn poll(&mut self) -> Option<Ensemble> {
        let (begun, ensemble) = self.next.as_mut()?;
        ensemble.poll();
        let is_ready = !ensemble.is_going_on || begun.elapsed() > SHOWN_AFTER && ensemble.done() > 0;
        is_ready.then(|| self.next.take()).flatten().map(|(_, ensemble)| ensemble)
    }
}
