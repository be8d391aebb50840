//! The points of a curve over time.

use std::ops::Range;

use crate::engine::Column;

/// The steps that lie in a range of seconds, and one beyond each edge, so that the curve goes on out of view.
pub fn steps_in(from: f64, to: f64, delta: f64) -> Range<u64> {
    let first = ((from / delta).floor() - 1.0).max(0.0) as u64;
    let last = ((to / delta).ceil() + 2.0).max(0.0) as u64;
    first..last.max(first)
}

/// Time and value of a column's curve between two times: each sample, or, where there are more than `width` points of
/// the screen, the lowest and the highest in turn, so that the line covers what lies between. Gaps are not-a-number.
pub fn points_of(column: &Column, delta: f64, (from, to): (f64, f64), width: usize) -> Vec<(f64, f64)> {
    let steps = steps_in(from, to, delta);
    let time = |step: u64| step as f64 * delta;
    match column.buckets(steps.clone(), width.max(1)) {
        Some(buckets) => {
            let mut is_up = true;
            let mut points = Vec::with_capacity(buckets.len() * 2);
            for (step, extent) in buckets {
                if extent.is_empty() {
                    points.push((time(step), f64::NAN));
                    continue;
                }
                let (one, other) = if is_up { (extent.low, extent.high) } else { (extent.high, extent.low) };
                points.push((time(step), one));
                if one != other {
                    points.push((time(step), other));
                }
                is_up = !is_up;
            }
            points
        }
        None => {
            let first = steps.start.max(column.steps().start);
            let values = column.range(steps);
            values.into_iter().enumerate().map(|(place, value)| (time(first + place as u64), value)).collect()
        }
    }
}
