//! Which steps of a run give the values at the measured times.

use super::measured::MeasuredCurve;

/// A part of a simulated value: this much of an element of a watched signal in a step. A value between two steps is that of
/// the cubic polynomial through four steps around it, so that steps need not be short where measured times are arbitrary;
/// that of a signal which holds its values is that of the step before.
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
    let times = curves.iter().flat_map(|(curve, ..)| curve.rows.iter().map(|row| row.time));
    let last = (times.fold(0.0, f64::max) / delta - ON_STEP).ceil();
    for (curve, watched, is_held) in curves {
        for measured in &curve.rows {
            let steps = measured.time / delta;
            let nearest = steps.round();
            let of =
                |step: f64, part| Reading { step: step as u64, watched: *watched, element: curve.element, row, part };
            if (steps - nearest).abs() < ON_STEP {
                readings.push(of(nearest, 1.0));
            } else if *is_held {
                readings.push(of(steps.floor(), 1.0));
            } else {
                // A run of four steps and more is not longer for the polynomial than for its last value.
                let first = (steps.floor() - 1.0).min(last - 3.0).max(0.0);
                let parts = cubic(steps - first);
                readings.extend(parts.iter().zip(0_u8..).map(|(part, after)| of(first + f64::from(after), *part)));
            }
            row += 1;
        }
    }
    readings.sort_by_key(|reading| reading.step);
    readings
}

/// Returns the parts of the values at 0, 1, 2 and 3 in that of the cubic polynomial through them at `x` (Lagrange).
fn cubic(x: f64) -> [f64; 4] {
    let [a, b, c, d] = [x, x - 1.0, x - 2.0, x - 3.0];
    [-b * c * d / 6.0, a * c * d / 2.0, -a * b * d / 2.0, a * b * c / 6.0]
}
