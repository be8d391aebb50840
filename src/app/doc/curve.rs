//! The points of a curve over time.

use std::ops::Range;

use crate::engine::{Bucket, Column, Recording};
use crate::model::SignalKey;

/// How a curve is interpolated between samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// Linearly.
    #[default]
    Straight,
    /// As stairs: each value holds until the next.
    Held,
}

impl Between {
    /// Returns the interpolation of a recorded signal.
    pub fn of(recording: &Recording, signal: &SignalKey) -> Between {
        if recording.is_held(signal) { Between::Held } else { Between::Straight }
    }
}

/// A curve in buckets.
#[derive(Clone, Debug)]
pub struct CurveParts {
    pub parts: Vec<Bucket>,
    pub between: Between,
}

/// Returns the steps within a range of seconds and one beyond each edge, so that the curve continues out of view.
pub fn steps_in(from: f64, to: f64, delta: f64) -> Range<u64> {
    let first = ((from / delta).floor() - 1.0).max(0.0) as u64;
    let last = ((to / delta).ceil() + 2.0).max(0.0) as u64;
    first..last.max(first)
}

/// Returns times and values of a column's curve between two times: each sample, or, if there are more than two per
/// screen point of `width`, the first, lowest, highest and last value of each bucket, in time order. A gap is NaN.
pub fn points_of(
    column: &Column,
    delta: f64,
    (from, to): (f64, f64),
    width: usize,
    between: Between,
) -> Vec<(f64, f64)> {
    let steps = steps_in(from, to, delta);
    let points = match column.buckets(steps.clone(), 2 * width.max(1)) {
        Some(buckets) => corners(&buckets, delta),
        None => {
            let first = steps.start.max(column.steps().start);
            let values = column.range(steps);
            values.into_iter().zip(first..).map(|(value, step)| (step as f64 * delta, value)).collect()
        }
    };
    match between {
        Between::Straight => points,
        Between::Held => stairs(&points),
    }
}

/// Returns the points of the line through buckets, in seconds.
pub fn corners(buckets: &[Bucket], delta: f64) -> Vec<(f64, f64)> {
    let mut points = Vec::with_capacity(buckets.len() * 3 + 1);
    for bucket in buckets {
        bucket.corners(|step, value| points.push((step * delta, value)));
    }
    // A held value is drawn up to the end.
    if let Some(last) = buckets.last() {
        let end = (last.steps.1 as f64 * delta, last.last);
        if points.last().is_some_and(|known| known.0 < end.0) {
            points.push(end);
        }
    }
    points
}

/// Adds a corner before each point but the first and those after a gap.
pub fn stairs(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners = Vec::with_capacity(points.len() * 2);
    for pair in points.windows(2) {
        if let [from, to] = pair {
            corners.push(*from);
            if from.1 != to.1 {
                corners.push((to.0, from.1));
            }
        }
    }
    corners.extend(points.last());
    corners
}
