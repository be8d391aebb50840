//! Sobol's indices: the shares that coordinates have in the variance of a result.
//!
//! The points are Saltelli's (Saltelli and others: Variance based sensitivity analysis of model output, 2010): for each pair
//! of points A and B of Sobol's sequence, A, then for each coordinate A with that coordinate of B, then B. The first-order
//! estimator is that of the same paper, the total one Jansen's (Analysis of variance designs for model output, 1999).

use super::bootstrap;
use super::size::DesignSize;
use super::sobol;

/// Returns a point of the scheme.
pub(super) fn point(size: &DesignSize, point: u64) -> Vec<f64> {
    let each = size.dims as u64 + 2;
    let (pair, place) = (point / each, (point % each) as usize);
    let is_of_second = |dim: usize| place == size.dims + 1 || place == dim + 1;
    let half = |dim: usize| if is_of_second(dim) { dim + size.dims } else { dim };
    (0..size.dims).map(|dim| sobol::coordinate(size.seed, pair, half(dim))).collect()
}

/// The shares of a coordinate in the variance of a result. Estimates may be a little below 0 or above 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SobolIndex {
    /// S1: the share of the coordinate alone.
    pub first: f64,
    /// The 95 % interval of the first-order index.
    pub first_interval: [f64; 2],
    /// ST: the share of the coordinate with all that it does together with others.
    pub total: f64,
    /// The 95 % interval of the total index.
    pub total_interval: [f64; 2],
}

/// The shares of all coordinates in the variance of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct VarianceShares {
    pub indices: Vec<SobolIndex>,
    /// The number of pairs of points whose results are all finite; others are left out.
    pub used: usize,
}

/// Returns the shares of the coordinates in the variance of the results at the points of
/// [`super::SampleDesign::SobolIndices`]; NaN where the results do not vary.
pub fn variance_shares(size: &DesignSize, results: &[f64]) -> VarianceShares {
    let whole = results.chunks_exact(size.dims + 2).filter(|of_pair| of_pair.iter().all(|result| result.is_finite()));
    let whole: Vec<&[f64]> = whole.collect();
    let count = whole.iter().map(|of_pair| of_pair.len()).sum::<usize>() as f64;
    // Without the mean, the products of the first-order estimator are smaller, and so are its errors.
    let mean = whole.iter().flat_map(|of_pair| of_pair.iter()).sum::<f64>() / count;
    let rows: Vec<Vec<f64>> =
        whole.iter().map(|of_pair| of_pair.iter().map(|result| result - mean).collect()).collect();
    let all: Vec<usize> = (0..rows.len()).collect();
    let estimates = estimates(&rows, size.dims, &all);
    let intervals = bootstrap::intervals(rows.len(), size.seed, |chosen| self::estimates(&rows, size.dims, chosen));
    let of_dim = |dim: usize| {
        let value = |index: usize| estimates.get(index).copied().unwrap_or(f64::NAN);
        let interval = |index: usize| intervals.get(index).copied().unwrap_or([f64::NAN; 2]);
        let (first, total) = (dim, size.dims + dim);
        SobolIndex {
            first: value(first),
            first_interval: interval(first),
            total: value(total),
            total_interval: interval(total),
        }
    };
    VarianceShares { indices: (0..size.dims).map(of_dim).collect(), used: rows.len() }
}

/// Returns the first-order indices of the chosen rows, then the total ones.
fn estimates(rows: &[Vec<f64>], dims: usize, chosen: &[usize]) -> Vec<f64> {
    let (mut sum, mut squares, mut sums) = (0.0, 0.0, vec![0.0; 2 * dims]);
    for row in chosen.iter().filter_map(|index| rows.get(*index)) {
        let [first, mixed @ .., last] = &row[..] else { continue };
        sum += first + last;
        squares += first * first + last * last;
        let (firsts, totals) = sums.split_at_mut(dims);
        for ((of_first, of_total), mixed) in firsts.iter_mut().zip(totals).zip(mixed) {
            let change = mixed - first;
            *of_first += last * change;
            *of_total += 0.5 * change * change;
        }
    }
    let count = chosen.len() as f64;
    let mean = sum / (2.0 * count);
    let variance = squares / (2.0 * count) - mean * mean;
    sums.into_iter().map(|sum| sum / count / variance).collect()
}
