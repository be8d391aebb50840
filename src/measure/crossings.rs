//! Where a curve passes a level, and how regularly.

use super::{Series, part_between};

/// The direction in which a level is passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    #[default]
    Rising,
    Falling,
    Either,
}

/// How a curve repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rhythm {
    /// Seconds.
    pub period: f64,
    /// 1 / period, Hz.
    pub frequency: f64,
    /// The part of a period above the middle.
    pub duty: f64,
    /// Whole periods that this is the mean of.
    pub periods: usize,
}

impl Edge {
    /// Whether a curve that was below (or above) a level and is now above (or below) passes it in this direction.
    pub fn takes(self, is_rising: bool) -> bool {
        match self {
            Edge::Rising => is_rising,
            Edge::Falling => !is_rising,
            Edge::Either => true,
        }
    }
}

/// The times at which the straight lines through the samples pass a level. What only touches it does not pass; with a
/// `hysteresis` above 0 the curve must have been further than that on the other side since the last time, so that noise
/// about the level counts once.
pub fn crossings(series: Series, level: f64, edge: Edge, hysteresis: f64) -> Vec<f64> {
    let all = passings(series.values, level, hysteresis);
    all.into_iter().filter(|(_, is_rising)| edge.takes(*is_rising)).map(|(place, _)| series.time(place)).collect()
}

/// The period as the mean distance of the rising passings of the middle between lowest and highest, with a hysteresis
/// of a tenth of the span. None where there are fewer than two.
pub fn rhythm(series: Series) -> Option<Rhythm> {
    let finite = series.values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (v.min(low), v.max(high)));
    if high <= low {
        return None;
    }
    let all = passings(series.values, (low + high) / 2.0, (high - low) * 0.1);
    let rising: Vec<f64> = all.iter().filter(|(_, is_rising)| *is_rising).map(|(place, _)| *place).collect();
    let (first, last) = (*rising.first()?, *rising.last()?);
    let periods = rising.len() - 1;
    if periods == 0 {
        return None;
    }
    let mut above = 0.0;
    for pair in all.windows(2) {
        if let [(up, true), (down, false)] = pair
            && *up >= first
            && *down <= last
        {
            above += down - up;
        }
    }
    let period = (last - first) * series.delta / periods as f64;
    Some(Rhythm { period, frequency: 1.0 / period, duty: above / (last - first), periods })
}

/// Places between samples where the level is passed, and whether upwards.
fn passings(values: &[f64], level: f64, hysteresis: f64) -> Vec<(f64, bool)> {
    let mut found = Vec::new();
    // The side on which the curve was last seen for certain, and where it last passed the level itself.
    let mut was_above: Option<bool> = None;
    let mut passed: Option<f64> = None;
    let mut before: Option<f64> = None;
    for (place, &value) in values.iter().enumerate() {
        if !value.is_finite() {
            (was_above, passed, before) = (None, None, None);
            continue;
        }
        if let Some(from) = before
            && (from < level) != (value < level)
        {
            passed = Some(place as f64 - 1.0 + part_between(from, value, level));
        }
        before = Some(value);
        let is_above = match value {
            value if value >= level + hysteresis => true,
            value if value < level - hysteresis => false,
            _ => continue,
        };
        if was_above == Some(!is_above)
            && let Some(at) = passed
        {
            found.push((at, is_above));
        }
        was_above = Some(is_above);
    }
    found
}
