//! Sobol's sequence with the direction numbers of Joe and Kuo (Constructing Sobol sequences with better two-dimensional
//! projections, 2008), scrambled as Owen proposed, by hashing (Burley: Practical hash-based Owen scrambling, 2020).

use sobol_burley::NUM_DIMENSIONS;
use sobol_burley::parts::{hash, owen_scramble_rev, sobol_rev};

use super::size::SOBOL;
use crate::block::math::random;

/// The maximum number of coordinates of a point.
pub(super) const MAX_DIMS: usize = NUM_DIMENSIONS as usize;
/// The maximum number of points.
pub(super) const MAX_POINTS: u64 = 1 << 16;

/// Returns a coordinate of a point, with 32 bits, in the middle of its interval: never 0 or 1. The points are in the order
/// of the sequence.
pub(super) fn coordinate(seed: u64, point: u64, dim: usize) -> f64 {
    let Some(dimension) = u32::try_from(dim).ok().filter(|dim| *dim < NUM_DIMENSIONS) else { return f64::NAN };
    let point = (point % MAX_POINTS) as u32;
    let key = (random(seed as f64, SOBOL, 0.0, dim) * 2f64.powi(32)) as u32;
    let scrambled = owen_scramble_rev(sobol_rev(point.reverse_bits(), dimension), hash(key)).reverse_bits();
    (f64::from(scrambled) + 0.5) / 2f64.powi(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.17: `qmc.Sobol(5, scramble=False).random(8)`.
    const SCIPY: [[f64; 5]; 8] = [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.5, 0.5, 0.5, 0.5, 0.5],
        [0.75, 0.25, 0.25, 0.25, 0.75],
        [0.25, 0.75, 0.75, 0.75, 0.25],
        [0.375, 0.375, 0.625, 0.875, 0.375],
        [0.875, 0.875, 0.125, 0.375, 0.875],
        [0.625, 0.125, 0.875, 0.625, 0.625],
        [0.125, 0.625, 0.375, 0.125, 0.125],
    ];

    /// SciPy follows the order of Gray's code; this sequence is in the order of the numbers.
    #[test]
    fn the_sequence_without_scrambling_is_that_of_scipy() {
        for (number, expected) in SCIPY.iter().enumerate() {
            let gray = (number ^ number >> 1) as u32;
            for (dim, expected) in expected.iter().enumerate() {
                let found = f64::from(sobol_rev(gray.reverse_bits(), dim as u32).reverse_bits()) / 2f64.powi(32);
                assert_eq!(found, *expected, "point {number}, coordinate {dim}");
            }
        }
    }
}
