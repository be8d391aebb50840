//! What makes a picture of a repeating curve stand still.

use super::{Edge, part_between};

/// Waits for a curve to pass a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trigger {
    pub level: f64,
    pub edge: Edge,
}

impl Trigger {
    /// The last place between two samples at which the curve passes the level, counted from the first sample.
    pub fn last(self, values: &[f64]) -> Option<f64> {
        (1..values.len()).rev().find_map(|place| self.between(values, place))
    }

    /// The first place.
    pub fn first(self, values: &[f64]) -> Option<f64> {
        (1..values.len()).find_map(|place| self.between(values, place))
    }

    /// Whether values between these two can pass the level at all.
    pub fn is_within(self, low: f64, high: f64) -> bool {
        low < self.level && high >= self.level
    }

    fn between(self, values: &[f64], place: usize) -> Option<f64> {
        let (from, to) = (*values.get(place.checked_sub(1)?)?, *values.get(place)?);
        if !(from.is_finite() && to.is_finite()) {
            return None;
        }
        let is_rising = from < self.level && to >= self.level;
        let is_falling = from >= self.level && to < self.level;
        let is_taken = (is_rising || is_falling) && self.edge.takes(is_rising);
        is_taken.then(|| (place - 1) as f64 + part_between(from, to, self.level))
    }
}
