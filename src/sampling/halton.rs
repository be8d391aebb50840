//! Halton's sequence with random permutations of the digits (Owen: A randomized Halton algorithm in R, 2017).

use super::permutation::shuffled;
use super::size::{DIGITS, inner};
use crate::block::math::random;

/// The bases of the coordinates: the primes.
const BASES: [u64; 64] = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
    113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239,
    241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311,
];

/// The maximum number of coordinates of a point. In more, many thousand points would lie on lines.
pub(super) const MAX_DIMS: usize = BASES.len();

/// Returns a coordinate of a point: the digits of its number in the base of the coordinate, behind the point in reverse
/// order, each permuted.
pub(super) fn coordinate(seed: u64, point: u64, dim: usize) -> f64 {
    let Some(&base) = BASES.get(dim) else { return f64::NAN };
    let (mut rest, mut value, mut unit, mut place) = (point, 0.0, 1.0, 0u32);
    // Zeros are permuted too, down to the last digit that a number has.
    while unit > f64::EPSILON / 2.0 {
        let counter = |index: usize| f64::from(place) * 1024.0 + index as f64;
        let digits = shuffled(base as usize, |index| random(seed as f64, DIGITS, counter(index), dim));
        let digit = digits.get((rest % base) as usize).copied().unwrap_or_default();
        unit /= base as f64;
        value += digit as f64 * unit;
        rest /= base;
        place += 1;
    }
    inner(value)
}
