//! Keeps a run to the clock.

use std::time::{Duration, Instant};

use super::Speed;

/// A run that is so much behind the clock does not catch up: from there on it keeps to the clock anew.
const PATIENCE: Duration = Duration::from_millis(100);

/// How far a run may go now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub speed: Speed,
    /// Seconds a step.
    delta: f64,
    /// When the pacing began, and at which step.
    from: (Instant, u64),
    /// How often the run could not keep to the clock.
    pub overruns: u64,
}

impl Pace {
    pub fn new(speed: Speed, delta: f64) -> Pace {
        Pace { speed, delta, from: (Instant::now(), 0), overruns: 0 }
    }

    /// The clock counts anew from a step.
    pub fn begin(&mut self, step: u64) {
        self.from = (Instant::now(), step);
    }

    /// How many steps are to be done by now, counted from the begin of the run; none: as many as there are.
    pub fn due(&self) -> Option<u64> {
        match self.speed {
            Speed::Fastest => None,
            // The conversion saturates; a ratio that is no number makes nothing due.
            Speed::RealTime(ratio) => {
                Some((self.from.1 as f64 + self.from.0.elapsed().as_secs_f64() * ratio / self.delta) as u64)
            }
        }
    }

    /// How long until the step after so many is due.
    pub fn wait(&self, done: u64) -> Duration {
        let Speed::RealTime(ratio) = self.speed else { return Duration::ZERO };
        let next = (done + 1).saturating_sub(self.from.1) as f64 * self.delta / ratio;
        let wait = next - self.from.0.elapsed().as_secs_f64();
        Duration::from_secs_f64(wait.clamp(0.0005, 0.25))
    }

    /// Notes that so many steps are done: whether the clock has run away, which counts as an overrun.
    pub fn keep(&mut self, done: u64) {
        let Speed::RealTime(ratio) = self.speed else { return };
        let Some(behind) = self.due().and_then(|due| due.checked_sub(done)) else { return };
        let seconds = behind as f64 * self.delta / ratio;
        if behind > 1 && seconds > PATIENCE.as_secs_f64() {
            self.overruns += 1;
            self.begin(done);
        }
    }
}
