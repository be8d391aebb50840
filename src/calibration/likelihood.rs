//! Confidence intervals by profile likelihood: how far a parameter can move, with all others fitted again, until the sum of
//! squares has grown by more than chance allows.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::options::FitOptions;
use super::outcome::Evaluated;
use super::prepared::Calibration;
use super::problem::FitProblem;
use crate::engine::Cancel;
use crate::optimize::{End, Minimum, minimize};
use crate::threads;

/// The profile of a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParamProfile {
    /// The ends of the confidence interval; `None` where the sum stays below the threshold.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Values of the parameter with the least sums, in ascending order.
    pub points: Vec<(f64, f64)>,
}

/// The number of steps outwards, each twice as long as the one before.
const OUTWARDS: u32 = 14;
/// The number of steps that then narrow an end down.
const NARROWING: usize = 12;
/// How exact the end of an interval is, relative to its distance from the estimate.
const EXACT: f64 = 1e-3;

/// Returns the profile of each parameter; `None` if it was cancelled.
pub(super) fn profiles(
    of: &Calibration,
    best: &Minimum,
    evaluated: &Evaluated,
    options: &FitOptions,
    cancel: &Cancel,
) -> Vec<Option<ParamProfile>> {
    let next = AtomicUsize::new(0);
    let (done, heard) = crossbeam_channel::unbounded();
    let mut found = vec![None; best.at.len()];
    std::thread::scope(|scope| {
        for number in 0..options.workers.get().min(best.at.len()) {
            let (done, next) = (done.clone(), &next);
            let work = move || loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= best.at.len() || cancel.is_cancelled() {
                    return;
                }
                let problem = FitProblem::new(of, cancel);
                let _ = done.send((index, profile(of, &problem, best, evaluated, options, index)));
            };
            if threads::spawn_in(scope, &format!("profile {}", number + 1), work).is_err() {
                break;
            }
        }
        drop(done);
        for (index, profile) in heard {
            found.iter_mut().skip(index).take(1).for_each(|found| found.clone_from(&profile));
        }
    });
    found
}

fn profile(
    of: &Calibration,
    problem: &FitProblem,
    best: &Minimum,
    evaluated: &Evaluated,
    options: &FitOptions,
    index: usize,
) -> Option<ParamProfile> {
    let param = of.params.get(index)?;
    let at = *best.at.get(index)?;
    if evaluated.degrees == 0 {
        return None;
    }
    let threshold = best.sum + evaluated.variance * evaluated.quantile * evaluated.quantile;
    let mut found = ParamProfile { points: vec![(param.scaled.scale.value(at), best.sum)], ..ParamProfile::default() };
    let expected = evaluated.error(index).map_or(0.1 * at.abs().max(0.1), |error| error * evaluated.quantile);
    let expected = expected.max(1e-12 * at.abs()).max(f64::MIN_POSITIVE);
    for (sign, bound) in [(-1.0, param.scaled.bounds.0), (1.0, param.scaled.bounds.1)] {
        // The sum with this coordinate, and where the others then are.
        let mut from = best.at.clone();
        let mut is_cancelled = false;
        let mut sum_at = |to: f64| {
            let mut bounds = of.bounds();
            from.iter_mut().skip(index).take(1).for_each(|from| *from = to);
            bounds.iter_mut().skip(index).take(1).for_each(|bounds| *bounds = (to, to));
            let minimum = minimize(problem, &from, &bounds, &options.minimize, &mut |_| {});
            is_cancelled |= minimum.end == End::Cancelled;
            if minimum.sum.is_finite() {
                found.points.push((param.scaled.scale.value(to), minimum.sum));
                from = minimum.at;
            }
            minimum.sum
        };
        // The root of the growth is about linear in the distance.
        let growth =
            |sum: f64| if sum.is_finite() { ((sum - best.sum).max(0.0) / (threshold - best.sum)).sqrt() } else { 2.0 };
        let (mut inside, mut outside) = ((0.0, 0.0), None);
        for power in 0..OUTWARDS {
            let wanted = at + sign * expected * f64::from(1 << power) * 1.05;
            let to = if sign < 0.0 { wanted.max(bound) } else { wanted.min(bound) };
            let point = ((to - at).abs(), growth(sum_at(to)));
            if point.1 >= 1.0 {
                outside = Some(point);
                break;
            }
            inside = point;
            if to == bound {
                break;
            }
        }
        let end = outside.map(|mut outside| {
            for _ in 0..NARROWING {
                if (outside.0 - inside.0) <= EXACT * outside.0 {
                    break;
                }
                let part = ((1.0 - inside.1) / (outside.1 - inside.1)).clamp(0.02, 0.98);
                let to = inside.0 + part * (outside.0 - inside.0);
                let point = (to, growth(sum_at(at + sign * to)));
                if (point.1 - 1.0).abs() < EXACT {
                    return at + sign * to;
                }
                if point.1 >= 1.0 { outside = point } else { inside = point }
            }
            at + sign * 0.5 * (inside.0 + outside.0)
        });
        if is_cancelled {
            return None;
        }
        let end = end.map(|end| param.scaled.scale.value(end));
        if sign < 0.0 { found.low = end } else { found.high = end }
    }
    found.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(found)
}
