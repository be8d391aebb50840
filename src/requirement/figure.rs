//! Figures of a curve: one number for a whole run.

use crate::measure::{Series, statistics, step_response};

/// A figure of a signal over a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    Minimum,
    Maximum,
    Mean,
    Rms,
    PeakToPeak,
    /// The last value.
    Final,
    /// The integral of the absolute value over time.
    AbsoluteArea,
    /// In percent of the step.
    Overshoot,
    /// From 10 % to 90 % of the step, in seconds.
    RiseTime,
    /// Until the curve stays within 2 % of the step around its last values, in seconds.
    SettlingTime,
}

impl Figure {
    pub const ALL: [Figure; 10] = [
        Figure::Minimum,
        Figure::Maximum,
        Figure::Mean,
        Figure::Rms,
        Figure::PeakToPeak,
        Figure::Final,
        Figure::AbsoluteArea,
        Figure::Overshoot,
        Figure::RiseTime,
        Figure::SettlingTime,
    ];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Minimum => "minimum",
            Figure::Maximum => "maximum",
            Figure::Mean => "mean",
            Figure::Rms => "rms",
            Figure::PeakToPeak => "peak-to-peak",
            Figure::Final => "final",
            Figure::AbsoluteArea => "absolute-area",
            Figure::Overshoot => "overshoot",
            Figure::RiseTime => "rise-time",
            Figure::SettlingTime => "settling-time",
        }
    }

    pub fn parse(name: &str) -> Option<Figure> {
        Figure::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// Returns the figure; not-a-number where the curve has none. A curve that does not settle, or never rises, takes as
    /// long as it is.
    pub fn of(self, series: Series) -> f64 {
        if series.values.iter().any(|value| !value.is_finite()) {
            return f64::NAN;
        }
        let length = series.values.len().saturating_sub(1) as f64 * series.delta;
        let whole = || statistics(series.values.iter().copied());
        let response = || step_response(series);
        let value = match self {
            Figure::Minimum => whole().map(|found| found.low),
            Figure::Maximum => whole().map(|found| found.high),
            Figure::Mean => whole().map(|found| found.mean),
            Figure::Rms => whole().map(|found| found.rms),
            Figure::PeakToPeak => whole().map(|found| found.peak_to_peak()),
            Figure::Final => series.values.last().copied(),
            Figure::AbsoluteArea => {
                let pairs = series.values.iter().zip(series.values.iter().skip(1));
                Some(pairs.map(|(one, other)| 0.5 * (one.abs() + other.abs()) * series.delta).sum())
            }
            Figure::Overshoot => Some(response().map_or(0.0, |found| 100.0 * found.overshoot)),
            Figure::RiseTime => Some(response().map_or(length, |found| found.rise_time)),
            Figure::SettlingTime => Some(response().and_then(|found| found.settling_time).unwrap_or(length)),
        };
        value.unwrap_or(f64::NAN)
    }
}
