//! The sample times of blocks, in steps.

/// A sample time: hits in the steps `offset`, `offset + period`, `offset + 2·period`, …
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SampleTime {
    /// In steps, at least 1.
    pub period: u64,
    pub offset: u64,
}

/// The tolerance of a multiple of the step, as a fraction of it: the rounding of decimals and of short expressions of
/// them. A value that is further off is not a multiple, since its samples would drift from the steps.
const SLACK: f64 = 64.0 * f64::EPSILON;
/// The greatest tolerance, as a fraction of the step.
const MAX_SLACK: f64 = 1e-6;
const LONGEST: f64 = 1e15;

/// Why a time and an offset, in seconds, are not a sample time for a step length `delta`, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleTimeError {
    #[error("{time} s is not a multiple of the step of {delta} s")]
    NotAMultiple { time: f64, delta: f64 },
    #[error("the offset of {offset} s is not a multiple of the step of {delta} s")]
    OffsetNotAMultiple { offset: f64, delta: f64 },
}

impl SampleTime {
    /// A hit in every step.
    pub const EVERY: SampleTime = SampleTime { period: 1, offset: 0 };

    /// Converts a sample time and offset in seconds to steps of `delta` seconds; `None` if the sample time is inherited
    /// (−1). A sample time of 0 is every step.
    ///
    /// # Errors
    /// Fails if they are not multiples of the step.
    pub fn of(time: f64, offset: f64, delta: f64) -> Result<Option<SampleTime>, SampleTimeError> {
        if time == -1.0 {
            return Ok(None);
        }
        if time == 0.0 {
            return Ok(Some(SampleTime::EVERY));
        }
        let steps = |seconds: f64| {
            let steps = (seconds / delta).round();
            let slack = (SLACK * steps.max(1.0)).min(MAX_SLACK);
            ((seconds / delta - steps).abs() <= slack && (0.0..LONGEST).contains(&steps)).then_some(steps as u64)
        };
        match (steps(time), steps(offset)) {
            (Some(period), Some(offset)) if period > 0 => Ok(Some(SampleTime { period, offset })),
            (Some(period), None) if period > 0 => Err(SampleTimeError::OffsetNotAMultiple { offset, delta }),
            _ => Err(SampleTimeError::NotAMultiple { time, delta }),
        }
    }

    pub fn is_hit(self, step: u64) -> bool {
        step >= self.offset && (step - self.offset).is_multiple_of(self.period)
    }

    /// Returns the number of the last hit up to this step, from 0.
    pub fn count(self, step: u64) -> u64 {
        step.saturating_sub(self.offset) / self.period
    }

    /// Returns the slowest sample time that has the hits of both.
    pub fn with(self, other: SampleTime) -> SampleTime {
        let period = gcd(gcd(self.period, other.period), self.offset.abs_diff(other.offset));
        SampleTime { period, offset: self.offset % period }
    }
}

/// Returns the greatest common divisor.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_of_the_step_are_sample_times() {
        let every = |period, offset| Ok(Some(SampleTime { period, offset }));
        assert_eq!(SampleTime::of(0.3, 0.0, 0.1), every(3, 0));
        assert_eq!(SampleTime::of(0.3, 0.1, 0.1), every(3, 1));
        assert_eq!(SampleTime::of(0.3, 0.3, 0.1), every(3, 3), "the first hit may be one sample later, or more");
        assert_eq!(SampleTime::of(-1.0, 0.0, 0.1), Ok(None));
        assert_eq!(SampleTime::of(0.0, 0.0, 0.1), Ok(Some(SampleTime::EVERY)));
        for (time, offset) in [(0.15, 0.0), (-2.0, 0.0), (0.3, 0.05), (f64::NAN, 0.0)] {
            assert!(SampleTime::of(time, offset, 0.1).is_err(), "{time} {offset}");
        }
        // A near multiple is not accepted: after a million samples it would be a step late.
        for (time, offset) in [(0.3 + 9e-8, 0.0), (0.3 - 1e-12, 0.0), (0.3, 1e-13), (0.3, 0.1 + 1e-12)] {
            assert!(SampleTime::of(time, offset, 0.1).is_err(), "{time} {offset}");
        }
        // Decimals and short expressions of them are what they mean.
        for (delta, times) in [(0.1, 1..100_000u32), (0.001, 1..100_000), (1.0 / 3.0, 1..3000), (1e-9, 1..3000)] {
            for number in times {
                let period = u64::from(number);
                for time in [f64::from(number) * delta, (0.1 * f64::from(number) + 0.2 - 0.2) * (delta * 10.0)] {
                    assert_eq!(
                        SampleTime::of(time, 0.0, delta),
                        Ok(Some(SampleTime { period, offset: 0 })),
                        "{time} {delta}"
                    );
                }
            }
        }
        for number in 1..100_000u32 {
            let text = format!("{}.{:03}", number / 1000, number % 1000);
            let time: f64 = text.parse().expect("a number");
            let want = Ok(Some(SampleTime { period: u64::from(number), offset: 0 }));
            assert_eq!(SampleTime::of(time, 0.0, 0.001), want, "{text}");
        }
    }

    #[test]
    fn two_rates_together_have_the_hits_of_both_and_no_coarser_one_has() {
        for (a, b, want) in
            [((4, 0), (6, 0), (2, 0)), ((4, 1), (4, 3), (2, 1)), ((3, 0), (3, 0), (3, 0)), ((4, 0), (6, 3), (1, 0))]
        {
            let [a, b, want] = [a, b, want].map(|(period, offset)| SampleTime { period, offset });
            assert_eq!(a.with(b), want);
            for step in 0..100 {
                assert!(want.is_hit(step) || !(a.is_hit(step) || b.is_hit(step)));
            }
        }
    }
}
