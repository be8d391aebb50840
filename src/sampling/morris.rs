//! Screening by elementary effects (Morris: Factorial sampling plans for preliminary computational experiments, 1991;
//! Campolongo, Cariboni and Saltelli: An effective screening design for sensitivity analysis of large models, 2007).

use super::bootstrap;
use super::permutation::shuffled;
use super::size::{DesignSize, ORDER, STARTS};
use crate::block::math::random;

/// The number of levels of a coordinate; a step goes over half of them.
const LEVELS: usize = 4;

/// A step of a trajectory: a coordinate, from one level to another one.
struct Step {
    dim: usize,
    from: f64,
    to: f64,
}

/// Returns the steps of a trajectory: each coordinate changes once.
fn steps(size: &DesignSize, trajectory: u64) -> Vec<Step> {
    let seed = size.seed as f64;
    let order = shuffled(size.dims, |index| random(seed, ORDER, trajectory as f64, index));
    let step = |dim: usize| {
        // A start below the middle goes up, one above it down.
        let start = ((random(seed, STARTS, trajectory as f64, dim) * LEVELS as f64) as usize).min(LEVELS - 1);
        let end = (start + LEVELS / 2) % LEVELS;
        let level = |number: usize| number as f64 / (LEVELS - 1) as f64;
        Step { dim, from: level(start), to: level(end) }
    };
    order.into_iter().map(step).collect()
}

/// Returns a point: the trajectories follow each other, each with its start and a point after each of its steps.
pub(super) fn point(size: &DesignSize, point: u64) -> Vec<f64> {
    let each = size.dims as u64 + 1;
    let (trajectory, place) = (point / each, (point % each) as usize);
    let mut coordinates = vec![f64::NAN; size.dims];
    for (number, step) in steps(size, trajectory).into_iter().enumerate() {
        if let Some(coordinate) = coordinates.get_mut(step.dim) {
            *coordinate = if number < place { step.to } else { step.from };
        }
    }
    coordinates
}

/// The elementary effects of a coordinate: the change of the result in relation to that of the coordinate, whose range is
/// 1. All are in the unit of the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// μ: the mean of the effects.
    pub mean: f64,
    /// μ*: the mean of their absolute values.
    pub mean_abs: f64,
    /// The 95 % interval of μ*.
    pub interval: [f64; 2],
    /// σ: the standard deviation of the effects; 0 if the result is linear in the coordinate and depends on no other one
    /// together with it.
    pub deviation: f64,
}

/// The effects of all coordinates on a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Screening {
    pub effects: Vec<Effect>,
    /// The number of trajectories whose results are all finite; others are left out.
    pub used: usize,
}

/// Returns the effects of the coordinates on the results at the points of [`super::SampleDesign::Morris`].
pub fn screening(size: &DesignSize, results: &[f64]) -> Screening {
    let mut of_dims: Vec<Vec<f64>> = vec![Vec::new(); size.dims];
    let trajectories = results.chunks_exact(size.dims + 1).enumerate();
    let whole = trajectories.filter(|(_, results)| results.iter().all(|result| result.is_finite()));
    let mut used = 0;
    for (trajectory, results) in whole {
        used += 1;
        for (step, pair) in steps(size, trajectory as u64).iter().zip(results.windows(2)) {
            if let (Some(effects), [before, after]) = (of_dims.get_mut(step.dim), pair) {
                effects.push((after - before) / (step.to - step.from));
            }
        }
    }
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / used as f64;
    let means_of = |chosen: &[usize]| -> Vec<f64> {
        let of_chosen = |effects: &Vec<f64>| chosen.iter().filter_map(|index| effects.get(*index)).copied().collect();
        let chosen = of_dims.iter().map(of_chosen);
        chosen.map(|effects: Vec<f64>| mean(&mut effects.iter().map(|effect| effect.abs()))).collect()
    };
    let intervals = bootstrap::intervals(used, size.seed, means_of);
    let effect = |(effects, interval): (&Vec<f64>, [f64; 2])| {
        let middle = mean(&mut effects.iter().copied());
        let squares: f64 = effects.iter().map(|effect| (effect - middle) * (effect - middle)).sum();
        Effect {
            mean: middle,
            mean_abs: mean(&mut effects.iter().map(|effect| effect.abs())),
            interval,
            deviation: (squares / (used as f64 - 1.0)).sqrt(),
        }
    };
    Screening { effects: of_dims.iter().zip(intervals).map(effect).collect(), used }
}
