//! The trigger of an oscilloscope, which keeps a repeating curve still.

use super::{Edge, part_between};

/// A trigger that fires when a curve crosses a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trigger {
    pub level: f64,
    pub edge: Edge,
}

impl Trigger {
    /// Returns the last crossing as a fractional sample index.
    pub fn last(self, values: &[f64]) -> Option<f64> {
        (1..values.len()).rev().find_map(|index| self.between(values, index))
    }

    /// Returns the first crossing as a fractional sample index.
    pub fn first(self, values: &[f64]) -> Option<f64> {
        (1..values.len()).find_map(|index| self.between(values, index))
    }

    /// Whether a curve between these limits can cross the level.
    pub fn is_within(self, low: f64, high: f64) -> bool {
        low < self.level && high >= self.level
    }

    fn between(self, values: &[f64], index: usize) -> Option<f64> {
        let (from, to) = (*values.get(index.checked_sub(1)?)?, *values.get(index)?);
        if !(from.is_finite() && to.is_finite()) {
            return None;
        }
        let direction = match (from < self.level, to < self.level) {
            (true, false) => Edge::Rising,
            (false, true) => Edge::Falling,
            _ => return None,
        };
        self.edge.takes(direction).then(|| (index - 1) as f64 + part_between(from, to, self.level))
    }
}
