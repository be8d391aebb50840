//! Latin hypercubes (McKay, Beckman and Conover: A comparison of three methods for selecting values of input variables,
//! 1979).

use super::permutation::PermutationKey;
use super::size::{DesignSize, PARTS, WITHIN_PART, inner};
use crate::block::math::random;

/// Returns a coordinate of a point: a random place within a part of the range that no other point has.
pub(super) fn coordinate(size: &DesignSize, point: u64, dim: usize) -> f64 {
    let key = PermutationKey { seed: size.seed, stream: PARTS, element: dim };
    let part = key.permuted(point, size.samples);
    let within = random(size.seed as f64, WITHIN_PART, point as f64, dim);
    let count = size.samples.max(1) as f64;
    // The sum may be rounded up to the next part.
    inner(((part as f64 + within) / count).min((part as f64 + 1.0) / count * (1.0 - f64::EPSILON)))
}
