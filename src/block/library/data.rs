//! Interpolation of the rows of a file over time.

use crate::block::{CallError, Native};

/// Several values over time. Of rows with equal times the last is valid from that time on.
#[derive(Debug)]
pub struct Curve {
    /// The times in seconds, at least one, not decreasing.
    pub times: Vec<f64>,
    /// The values of each column, as many as times.
    pub columns: Vec<Vec<f64>>,
    pub interpolation: Interpolation,
    pub extrapolation: Extrapolation,
}

/// The interpolation between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    Linear,
    Hold,
    Nearest,
}

/// The extrapolation before the first and after the last row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extrapolation {
    Hold,
    /// 0 from this time in seconds after the last row on, and before the first: times are rounded.
    Zero(f64),
    Extrapolate,
    /// Repetition with this period in seconds.
    Repeat(f64),
}

impl Curve {
    /// The mean time from row to row, in seconds; none if there are no two.
    pub fn interval(&self) -> Option<f64> {
        let [first, .., last] = self.times[..] else { return None };
        Some((last - first) / (self.times.len() - 1) as f64).filter(|interval| *interval > 0.0)
    }

    /// Returns the rows before and after a time, and the fraction of the way from one to the other.
    fn position(&self, time: f64) -> (usize, usize, f64) {
        let last = self.times.len() - 1;
        let behind = self.times.partition_point(|row| *row <= time);
        // A jump at the end has no slope that leads on.
        let goes_on = last > 0 && self.times[last - 1] < self.times[last];
        let (from, to) = match (self.extrapolation, behind) {
            // The first and the last interval are extrapolated.
            (Extrapolation::Extrapolate, 0) => (0, last.min(1)),
            (Extrapolation::Extrapolate, behind) if behind > last && goes_on => (last - 1, last),
            (Extrapolation::Repeat(_), behind) if behind > last => return (last, 0, self.towards_first(time)),
            (_, 0) => (0, 0),
            (_, behind) => (behind - 1, behind.min(last)),
        };
        let span = self.times[to] - self.times[from];
        (from, to, if span > 0.0 { (time - self.times[from]) / span } else { 0.0 })
    }

    /// Returns the fraction of the way from the last row to the first row of the next period.
    fn towards_first(&self, time: f64) -> f64 {
        let Extrapolation::Repeat(period) = self.extrapolation else { return 0.0 };
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let span = first + period - last;
        if span > 0.0 { (time - last) / span } else { 0.0 }
    }
}

impl Native for Curve {
    fn curve(&self) -> Option<&Curve> {
        Some(self)
    }

    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        let mut time = args.first().copied().unwrap_or(f64::NAN);
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        if time.is_nan() {
            out.fill(time);
            return Ok(());
        }
        match self.extrapolation {
            Extrapolation::Zero(slack) if time < first - slack || time > last + slack => {
                out.fill(0.0);
                return Ok(());
            }
            Extrapolation::Repeat(period) if period > 0.0 => {
                let since = (time - first) % period;
                time = first + if since < 0.0 { since + period } else { since };
            }
            _ => {}
        }
        let (from, to, part) = self.position(time);
        for (out, column) in out.iter_mut().zip(&self.columns) {
            *out = match self.interpolation {
                _ if part == 0.0 => column[from],
                Interpolation::Linear => column[from] + part * (column[to] - column[from]),
                Interpolation::Hold if part >= 1.0 => column[to],
                Interpolation::Hold => column[from],
                Interpolation::Nearest if part >= 0.5 => column[to],
                Interpolation::Nearest => column[from],
            };
        }
        Ok(())
    }
}
