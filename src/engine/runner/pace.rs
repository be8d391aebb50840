//! Keeps a run in real time.

use std::time::{Duration, Instant};

/// A run that is later than this does not catch up: the pacing starts anew from there.
const PATIENCE: Duration = Duration::from_millis(100);

/// How fast a run goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    Fastest,
    /// Simulated seconds per second.
    RealTime(f64),
}

/// The pacing of a run: how many steps it may run by now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub speed: Speed,
    /// The step length in seconds.
    delta: f64,
    /// The time at which the pacing began, and the step.
    from: (Instant, u64),
    /// How often the run was late.
    pub overruns: u64,
}

impl Pace {
    pub fn new(speed: Speed, delta: f64) -> Pace {
        Pace { speed, delta, from: (Instant::now(), 0), overruns: 0 }
    }

    /// Restarts the pacing at a step.
    pub fn begin(&mut self, step: u64) {
        self.from = (Instant::now(), step);
    }

    /// Returns how many steps should be complete by now, counted from the begin of the run; none without a limit.
    pub fn due(&self) -> Option<u64> {
        match self.speed {
            Speed::Fastest => None,
            // The conversion saturates; for a ratio of NaN nothing is due.
            Speed::RealTime(ratio) => {
                Some((self.from.1 as f64 + self.from.0.elapsed().as_secs_f64() * ratio / self.delta) as u64)
            }
        }
    }

    /// Returns how long to wait until the step after `done` steps is due.
    pub fn wait(&self, done: u64) -> Duration {
        let Speed::RealTime(ratio) = self.speed else { return Duration::ZERO };
        let next = (done + 1).saturating_sub(self.from.1) as f64 * self.delta / ratio;
        let wait = next - self.from.0.elapsed().as_secs_f64();
        Duration::from_secs_f64(wait.clamp(0.0005, 0.25))
    }

    /// Notes that `done` steps are complete; a run that is too late counts an overrun.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_late_does_not_wait() {
        let mut pace = Pace::new(Speed::RealTime(1.0), 0.1);
        assert!(pace.wait(2) > Duration::from_millis(200), "the third step is due after 0.3 s");
        pace.from.0 = Instant::now().checked_sub(Duration::from_secs(10)).expect("the machine has run that long");
        assert!(pace.wait(2) < Duration::from_millis(1));
    }
}
