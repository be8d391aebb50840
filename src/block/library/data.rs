//! Curves through the rows of a file.

use crate::block::Native;

/// Several values over time. Of rows at the same time the last counts from there on.
#[derive(Debug)]
pub struct Curve {
    /// Seconds, at least one, never falling.
    pub times: Vec<f64>,
    /// Each as long as the times.
    pub columns: Vec<Vec<f64>>,
    pub shape: Shape,
    pub ends: Ends,
}

/// What is between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Linear,
    Hold,
    Nearest,
}

/// What is outside of all rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ends {
    Hold,
    Zero,
    Extrapolate,
    /// All rows again, so many seconds later.
    Repeat(f64),
}

impl Curve {
    /// The row before a time and the one behind it, and how far the time is from the one to the other.
    fn place(&self, time: f64) -> (usize, usize, f64) {
        let last = self.times.len() - 1;
        let behind = self.times.partition_point(|row| *row <= time);
        let (from, to) = match (self.ends, behind) {
            // The first and the last piece go on.
            (Ends::Extrapolate, 0) => (0, last.min(1)),
            (Ends::Extrapolate, behind) if behind > last => (last.saturating_sub(1), last),
            (Ends::Repeat(_), behind) if behind > last => return (last, 0, self.towards_first(time)),
            (_, 0) => (0, 0),
            (_, behind) => (behind - 1, behind.min(last)),
        };
        let span = self.times[to] - self.times[from];
        (from, to, if span > 0.0 { (time - self.times[from]) / span } else { 0.0 })
    }

    /// How far a time behind the last row is on the way to the first one of the next round.
    fn towards_first(&self, time: f64) -> f64 {
        let Ends::Repeat(period) = self.ends else { return 0.0 };
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let span = first + period - last;
        if span > 0.0 { (time - last) / span } else { 0.0 }
    }
}

impl Native for Curve {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), String> {
        let mut time = args.first().copied().unwrap_or(f64::NAN);
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        if time.is_nan() {
            out.fill(time);
            return Ok(());
        }
        match self.ends {
            Ends::Zero if time < first || time > last => {
                out.fill(0.0);
                return Ok(());
            }
            Ends::Repeat(period) if period > 0.0 => {
                let since = (time - first) % period;
                time = first + if since < 0.0 { since + period } else { since };
            }
            _ => {}
        }
        let (from, to, part) = self.place(time);
        for (out, column) in out.iter_mut().zip(&self.columns) {
            *out = match self.shape {
                _ if part == 0.0 => column[from],
                Shape::Linear => column[from] + part * (column[to] - column[from]),
                Shape::Hold if part >= 1.0 => column[to],
                Shape::Hold => column[from],
                Shape::Nearest if part >= 0.5 => column[to],
                Shape::Nearest => column[from],
            };
        }
        Ok(())
    }
}
