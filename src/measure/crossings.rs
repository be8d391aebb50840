//! Level crossings and periodicity of a curve.

use super::{Series, part_between};

/// The direction of a level crossing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    #[default]
    Rising,
    Falling,
    Either,
}

/// The periodicity of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periodicity {
    /// The period in seconds.
    pub period: f64,
    /// The frequency in Hz.
    pub frequency: f64,
    /// The duty cycle, 0 to 1: the fraction of a period above the mid level.
    pub duty: f64,
    /// The number of periods in the mean.
    pub periods: usize,
}

impl Edge {
    /// Whether a crossing in the given direction, rising or falling, matches.
    pub fn takes(self, direction: Edge) -> bool {
        self == Edge::Either || self == direction
    }
}

/// Returns the times at which the interpolated curve crosses a level. Touching the level is not a crossing. With a
/// `hysteresis` above 0 the curve must first exceed that distance on the other side, so that noise around the level
/// counts once.
pub fn crossings(series: Series, level: f64, edge: Edge, hysteresis: f64) -> Vec<f64> {
    let all = level_crossings(series.values, level, hysteresis);
    all.into_iter().filter(|(_, direction)| edge.takes(*direction)).map(|(index, _)| series.time(index)).collect()
}

/// Measures the period as the mean time between rising crossings of the mid level (between minimum and maximum), with a
/// hysteresis of a tenth of the peak-to-peak value. `None` if there are fewer than two crossings.
pub fn periodicity(series: Series) -> Option<Periodicity> {
    let finite = series.values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (v.min(low), v.max(high)));
    if high <= low {
        return None;
    }
    let all = level_crossings(series.values, (low + high) / 2.0, (high - low) * 0.1);
    let rising: Vec<f64> =
        all.iter().filter(|(_, direction)| *direction == Edge::Rising).map(|(index, _)| *index).collect();
    let (first, last) = (*rising.first()?, *rising.last()?);
    let periods = rising.len() - 1;
    if periods == 0 {
        return None;
    }
    let mut above = 0.0;
    for pair in all.windows(2) {
        if let [(up, Edge::Rising), (down, Edge::Falling)] = pair
            && *up >= first
            && *down <= last
        {
            above += down - up;
        }
    }
    let period = (last - first) * series.delta / periods as f64;
    Some(Periodicity { period, frequency: 1.0 / period, duty: above / (last - first), periods })
}

/// Returns the crossings of a level as fractional sample indices, each with its direction.
fn level_crossings(values: &[f64], level: f64, hysteresis: f64) -> Vec<(f64, Edge)> {
    let mut found = Vec::new();
    // The side of the last sample outside the hysteresis band, and the last crossing of the level itself.
    let mut was_above: Option<bool> = None;
    let mut crossed: Option<f64> = None;
    let mut before: Option<f64> = None;
    for (index, &value) in values.iter().enumerate() {
        if !value.is_finite() {
            (was_above, crossed, before) = (None, None, None);
            continue;
        }
        if let Some(from) = before
            && (from < level) != (value < level)
        {
            crossed = Some(index as f64 - 1.0 + part_between(from, value, level));
        }
        before = Some(value);
        let is_above = match value {
            value if value >= level + hysteresis => true,
            value if value < level - hysteresis => false,
            _ => continue,
        };
        if was_above == Some(!is_above)
            && let Some(at) = crossed
        {
            found.push((at, if is_above { Edge::Rising } else { Edge::Falling }));
        }
        was_above = Some(is_above);
    }
    found
}
