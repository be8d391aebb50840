//! Interpolation of the rows of a file over time.

use crate::block::{CallError, HostFunction};

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
    /// In seconds: later than any time.
    pub const NEVER: f64 = 1e300;

    /// Whether the curve jumps where it is linear: between rows of equal times, or from one period to the next.
    pub fn jumps(&self) -> bool {
        let last = self.times.len() - 1;
        let repeats = match self.extrapolation {
            Extrapolation::Repeat(period) => self.times[last] - self.times[0] >= period,
            Extrapolation::Zero(_) => true,
            _ => false,
        };
        repeats || self.times.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Returns a curve whose value is the time of the next row, or only of the next at which this curve jumps.
    pub fn rows_ahead(&self, all: bool) -> Curve {
        let last = self.times.len() - 1;
        let middle = |row: usize| 0.5 * (self.times[row] + self.times[row + 1]);
        let ends = matches!(self.extrapolation, Extrapolation::Repeat(_) | Extrapolation::Zero(_));
        let is_jump = |row: usize| {
            let is_double = |row: usize| row < last && self.times[row] == self.times[row + 1];
            is_double(row) || row > 0 && is_double(row - 1) || ends && (row == 0 || row == last)
        };
        let mut times: Vec<f64> = match self.interpolation {
            Interpolation::Nearest => (0..last).map(middle).collect(),
            _ => (0..=last).filter(|&row| all || is_jump(row)).map(|row| self.times[row]).collect(),
        };
        match self.extrapolation {
            // The next period begins.
            Extrapolation::Repeat(period) if period > 0.0 => times.push(self.times[0] + period),
            Extrapolation::Zero(slack) => times.push(self.times[last] + slack),
            _ => {}
        }
        times.dedup();
        let next = times.iter().copied().chain([Curve::NEVER]).collect();
        let times = [-Curve::NEVER].into_iter().chain(times).collect();
        let (interpolation, extrapolation) = (Interpolation::Hold, Extrapolation::Hold);
        Curve { times, columns: vec![next], interpolation, extrapolation }
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

impl HostFunction for Curve {
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
