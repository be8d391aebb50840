//! How far two runs are apart, signal by signal.

use crate::engine::{Column, Recording, is_unset};
use crate::model::SignalKey;

/// How much two values may differ and count as the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    pub absolute: f64,
    /// As a part of the larger of both.
    pub relative: f64,
}

impl Tolerance {
    /// Whether two values count as the same; two not-a-numbers do, and two that were not set.
    pub fn covers(self, one: f64, other: f64) -> bool {
        if one.is_nan() || other.is_nan() {
            return one.is_nan() && other.is_nan() && is_unset(one) == is_unset(other);
        }
        // Infinities of one sign have no difference.
        one == other || (one - other).abs() <= self.absolute + self.relative * one.abs().max(other.abs())
    }
}

/// How far a signal of two runs is apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    pub signal: SignalKey,
    /// Steps that both have.
    pub steps: u64,
    /// The largest difference of a lane, and its step; none where no lane differs, infinite where a value is none.
    pub largest: Option<(f64, u64)>,
    /// The first step in which a lane differs by more than the tolerance.
    pub beyond: Option<u64>,
    /// One has more lanes than the other.
    pub has_other_width: bool,
}

/// Compares the signals that both runs recorded, in the steps that both have; steps count from the begin of each.
pub fn compare(one: &Recording, other: &Recording, tolerance: Tolerance) -> Vec<Apart> {
    let both = one.signals().filter(|(signal, _)| !other.columns(signal).is_empty());
    both.map(|(signal, columns)| apart(signal, columns, other.columns(signal), tolerance)).collect()
}

fn apart(signal: &SignalKey, one: &[Column], other: &[Column], tolerance: Tolerance) -> Apart {
    let mut found = Apart {
        signal: signal.clone(),
        steps: 0,
        largest: None,
        beyond: None,
        has_other_width: one.len() != other.len(),
    };
    for (one, other) in one.iter().zip(other) {
        let first = one.steps().start.max(other.steps().start);
        let end = one.steps().end.min(other.steps().end).max(first);
        found.steps = found.steps.max(end - first);
        for step in first..end {
            let (Some(a), Some(b)) = (one.at_step(step), other.at_step(step)) else { continue };
            if a.to_bits() == b.to_bits() {
                continue;
            }
            let size = match (a - b).abs() {
                _ if a == b => 0.0,
                size if size.is_nan() => f64::INFINITY,
                size => size,
            };
            if size > found.largest.map_or(0.0, |(largest, _)| largest) {
                found.largest = Some((size, step));
            }
            if !tolerance.covers(a, b) {
                found.beyond = Some(found.beyond.map_or(step, |known| known.min(step)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BlockId;

    fn recording(first: u64, values: &[f64]) -> Recording {
        let mut recording = Recording::new(1.0);
        recording.append(&SignalKey::new(&[], BlockId(0), "y"), first, 1, values);
        recording
    }

    #[test]
    fn only_what_is_beyond_the_tolerance_is_apart() {
        let one = recording(0, &[0.0, 1.0, 2.0, 100.0, f64::NAN, f64::INFINITY]);
        let other = recording(1, &[1.0, 2.25, 101.0, f64::NAN, f64::INFINITY, 9.0]);
        let apart = |absolute, relative| {
            let found = compare(&one, &other, Tolerance { absolute, relative });
            let [apart] = &found[..] else { panic!("one signal") };
            (apart.steps, apart.largest, apart.beyond)
        };
        assert_eq!(apart(0.0, 0.0), (5, Some((1.0, 3)), Some(2)));
        assert_eq!(apart(0.25, 0.0), (5, Some((1.0, 3)), Some(3)));
        assert_eq!(apart(0.25, 0.01), (5, Some((1.0, 3)), None));
        // A value against none is beyond all tolerance.
        let found =
            compare(&recording(0, &[1.0]), &recording(0, &[f64::NAN]), Tolerance { absolute: 1e9, relative: 1.0 });
        assert_eq!(found.first().map(|apart| (apart.largest, apart.beyond)), Some((Some((f64::INFINITY, 0)), Some(0))));
    }
}
