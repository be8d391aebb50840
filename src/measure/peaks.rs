//! Local maxima and minima of a curve.

use super::Series;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// The time in seconds.
    pub time: f64,
    pub value: f64,
    pub side: PeakKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeakKind {
    Top,
    Bottom,
}

/// Returns alternating maxima and minima, each differing from its neighbours by at least `height`: a maximum is the
/// highest sample since the last minimum once the curve has fallen by `height` below it. (The method of E. Billauer's
/// “peakdet”.)
pub fn peaks(series: Series, height: f64) -> Vec<Peak> {
    let mut found = Vec::new();
    let mut lowest: Option<(usize, f64)> = None;
    let mut highest: Option<(usize, f64)> = None;
    let mut wanted: Option<PeakKind> = None;
    for (index, &value) in series.values.iter().enumerate() {
        if !value.is_finite() {
            continue;
        }
        if highest.is_none_or(|(_, high)| value > high) {
            highest = Some((index, value));
        }
        if lowest.is_none_or(|(_, low)| value < low) {
            lowest = Some((index, value));
        }
        let (Some((high_at, high)), Some((low_at, low))) = (highest, lowest) else { continue };
        let found_at = if wanted != Some(PeakKind::Bottom) && value < high - height {
            Some((high_at, high, PeakKind::Top))
        } else if wanted != Some(PeakKind::Top) && value > low + height {
            Some((low_at, low, PeakKind::Bottom))
        } else {
            None
        };
        let Some((at, extreme, side)) = found_at else { continue };
        found.push(Peak { time: series.time(at as f64), value: extreme, side });
        (lowest, highest) = (Some((index, value)), Some((index, value)));
        wanted = Some(match side {
            PeakKind::Top => PeakKind::Bottom,
            PeakKind::Bottom => PeakKind::Top,
        });
    }
    // The first sample is an edge of the curve, not a local extremum.
    if found.first().is_some_and(|peak| peak.time == series.start) {
        found.remove(0);
    }
    found
}
