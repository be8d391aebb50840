//! Confidence intervals by resampling (Efron: Bootstrap methods, 1979).

use super::size::RESAMPLES;
use crate::block::math::random;

/// The number of resamples.
const COUNT: usize = 1000;
/// The part of the estimates below and above a 95 % interval.
const OUTSIDE: f64 = 0.025;

/// Returns the 95 % interval of each estimate. `estimate` computes the estimates from the numbers of the observations below
/// `count` that a resample has.
pub(super) fn intervals(count: usize, seed: u64, estimate: impl Fn(&[usize]) -> Vec<f64>) -> Vec<[f64; 2]> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut resample = vec![0; count];
    for number in 0..COUNT {
        for (index, chosen) in resample.iter_mut().enumerate() {
            let random = random(seed as f64, RESAMPLES, number as f64, index);
            *chosen = ((random * count as f64) as usize).min(count.saturating_sub(1));
        }
        let estimates = estimate(&resample);
        found.resize_with(estimates.len(), Vec::new);
        found.iter_mut().zip(estimates).for_each(|(all, one)| all.push(one));
    }
    found.iter_mut().map(|all| interval(all)).collect()
}

fn interval(estimates: &mut [f64]) -> [f64; 2] {
    estimates.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let place = part * estimates.len().saturating_sub(1) as f64;
        let value = |index: f64| estimates.get(index as usize).copied().unwrap_or(f64::NAN);
        let (below, above) = (value(place.floor()), value(place.ceil()));
        below + (above - below) * place.fract()
    };
    [at(OUTSIDE), at(1.0 - OUTSIDE)]
}
