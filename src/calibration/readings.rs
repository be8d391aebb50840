//! Which steps of a run give the values at the measured times.

use super::measured::MeasuredCurve;

/// A part of a simulated value: this much of an element of a watched signal in a step. A value between two steps is on the
/// straight line between theirs; that of a signal which holds its values is that of the step before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    pub step: u64,
    pub watched: usize,
    pub element: usize,
    /// The index of the value among all measured ones of the experiment.
    pub row: usize,
    pub part: f64,
}

/// How close to a step, in step lengths, a time is on it.
const ON_STEP: f64 = 1e-6;

/// Returns the readings of curves in the order of the steps; each curve has the index of its watched signal, and whether
/// that holds its values.
pub(super) fn readings(curves: &[(&MeasuredCurve, usize, bool)], delta: f64) -> Vec<Reading> {
    let mut readings = Vec::new();
    let mut row = 0;
    for (curve, watched, is_held) in curves {
        for measured in &curve.rows {
            let steps = measured.time / delta;
            let nearest = steps.round();
            let (step, after) = match (steps - nearest).abs() < ON_STEP {
                true => (nearest, 0.0),
                false => (steps.floor(), if *is_held { 0.0 } else { steps - steps.floor() }),
            };
            let of =
                |step: f64, part| Reading { step: step as u64, watched: *watched, element: curve.element, row, part };
            readings.push(of(step, 1.0 - after));
            if after > 0.0 {
                readings.push(of(step + 1.0, after));
            }
            row += 1;
        }
    }
    readings.sort_by_key(|reading| reading.step);
    readings
}
