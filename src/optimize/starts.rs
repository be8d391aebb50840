//! Further starting points, spread over a box.

use crate::block::math::random;

/// Returns points of a Latin hypercube: in each coordinate, each of as many equal parts of the range as there are points
/// has one of them. The same seed gives the same points.
pub fn spread(bounds: &[(f64, f64)], count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut points = vec![Vec::with_capacity(bounds.len()); count];
    for (coordinate, (low, high)) in bounds.iter().enumerate() {
        let draw = |what: f64, index: usize| random(seed as f64, what, coordinate as f64, index);
        let mut parts: Vec<usize> = (0..count).collect();
        for index in (1..count).rev() {
            parts.swap(index, (draw(1.0, index) * (index + 1) as f64) as usize);
        }
        for (index, (point, part)) in points.iter_mut().zip(parts).enumerate() {
            let within = (part as f64 + draw(2.0, index)) / count as f64;
            point.push(low + (high - low) * within);
        }
    }
    points
}
