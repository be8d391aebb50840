//! Keeps a run in real time.

use std::time::{Duration, Instant};

/// A run that lags further behind does not catch up: pacing restarts from there.
const MAX_LAG: Duration = Duration::from_millis(100);

/// The speed of a run.
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

    /// Returns how many steps should be complete by now, counted from the beginning of the run; `None` without a limit.
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
        if behind > 1 && seconds > MAX_LAG.as_secs_f64() {
            self.overruns += 1;
            self.begin(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pacing that began `seconds` seconds ago at a step.
    fn begun(ratio: f64, delta: f64, seconds: u64, step: u64) -> Pace {
        let mut pace = Pace::new(Speed::RealTime(ratio), delta);
        let begin = Instant::now().checked_sub(Duration::from_secs(seconds));
        pace.from = (begin.expect("the machine has run that long"), step);
        pace
    }

    #[test]
    fn a_run_that_is_late_does_not_wait() {
        let mut pace = Pace::new(Speed::RealTime(1.0), 0.1);
        assert!(pace.wait(2) > Duration::from_millis(200), "the third step is due after 0.3 s");
        pace.from.0 = Instant::now().checked_sub(Duration::from_secs(10)).expect("the machine has run that long");
        assert!(pace.wait(2) < Duration::from_millis(1));
    }

    /// 10 s at three simulated seconds per second are 30 s, or 7 steps of 4 s and a half: the next is due 2/3 s later.
    #[test]
    fn steps_are_due_from_the_begin_of_the_pacing_on() {
        assert_eq!(begun(3.0, 4.0, 10, 5).due(), Some(12));
        assert_eq!(begun(f64::NAN, 4.0, 10, 0).due(), Some(0));
        assert_eq!(Pace::new(Speed::Fastest, 4.0).due(), None);
        let mut pace = begun(3.0, 4.0, 10, 5);
        pace.begin(20);
        assert_eq!(pace.due(), Some(20), "it begins now");
    }

    /// The step behind the 24th from step 4 on is the 21st; 21 steps of 1 s at 2.08 s per second are due after 10.096 s.
    #[test]
    fn a_run_waits_until_the_next_step_is_due() {
        let pace = begun(2.08, 1.0, 10, 4);
        let before = pace.from.0.elapsed().as_secs_f64();
        let wait = pace.wait(24).as_secs_f64();
        let after = pace.from.0.elapsed().as_secs_f64();
        let [longest, shortest] = [before, after].map(|passed| (21.0 / 2.08 - passed).clamp(0.0005, 0.25));
        assert!(shortest - 1e-6 <= wait && wait <= longest + 1e-6, "{wait} is not from {shortest} to {longest}");
        // It looks again soon, and does not wait where nothing has to be waited for.
        assert_eq!(pace.wait(1000), Duration::from_millis(250));
        assert_eq!(pace.wait(2), Duration::from_micros(500), "a step before the beginning");
        assert_eq!(Pace::new(Speed::Fastest, 1.0).wait(1000), Duration::ZERO);
    }

    #[test]
    fn a_run_that_is_too_late_begins_anew() {
        // 9 s at 10 s per second are two steps of 40 s and a quarter: two steps are 8 s late, one is on its way.
        for (done, overruns, due) in [(0, 1, 0), (1, 0, 2), (2, 0, 2), (3, 0, 2)] {
            let mut pace = begun(10.0, 40.0, 9, 0);
            pace.keep(done);
            assert_eq!((pace.overruns, pace.due()), (overruns, Some(due)), "{done} steps are complete");
        }
        // 50 steps of 1 ms are 5 s late at a hundredth of the speed.
        let mut pace = begun(0.01, 0.001, 10, 0);
        pace.keep(50);
        assert_eq!((pace.overruns, pace.from.1), (1, 50));
        let mut fastest = Pace { speed: Speed::Fastest, ..begun(1.0, 1.0, 10, 0) };
        fastest.keep(0);
        assert_eq!(fastest.overruns, 0);
    }
}
