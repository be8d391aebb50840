//! Makes the values of a violation simple: as many as possible are those of the file, and the others have few digits.

use super::{Met, Study};
use crate::engine::Cancel;
use crate::trial::Executions;

/// Digits of a `f64` that say everything.
const ALL_DIGITS: usize = 17;

/// Returns simpler values with which the requirement is violated, the margin, and the step of the violation.
///
/// Values are set to those of the file in ever smaller groups, as delta debugging does (A. Zeller and R. Hildebrandt,
/// “Simplifying and isolating failure-inducing input”, 2002); what remains is rounded.
pub(super) fn reduced(
    study: &Study,
    requirement: usize,
    (found, margin, step): (&[f64], f64, u64),
    cancel: &Cancel,
) -> (Vec<f64>, f64, u64) {
    let mut executions = Executions::default();
    let mut violation = |values: &[f64]| -> Option<(Met, u64)> {
        let found = study.evaluate_with(values, &mut executions, cancel).ok()?;
        let met = *found.met.get(requirement).filter(|_| found.failure.is_none())?;
        met.violated_at.map(|step| (met, step))
    };
    let initial = study.initial();
    let mut values = found.to_vec();
    let (mut margin, mut step) = (margin, step);
    let mut accept = |values: &mut Vec<f64>, candidate: Vec<f64>| match violation(&candidate) {
        Some((met, at)) => {
            (margin, step) = (met.margin, at);
            *values = candidate;
            true
        }
        None => false,
    };
    let mut size = values.len();
    while size > 0 {
        let mut begin = 0;
        while begin < values.len() {
            let mut candidate = values.clone();
            let group = candidate.iter_mut().zip(&initial).skip(begin).take(size);
            group.for_each(|(value, initial)| *value = *initial);
            if candidate != values {
                accept(&mut values, candidate);
            }
            begin += size;
        }
        size /= 2;
    }
    for index in 0..values.len() {
        let (Some(&value), Some(&start)) = (values.get(index), initial.get(index)) else { continue };
        if value == start {
            continue;
        }
        for digits in 1..ALL_DIGITS {
            let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
            let mut candidate = values.clone();
            candidate.iter_mut().skip(index).take(1).for_each(|to| *to = rounded);
            if rounded == value || study.is_within(index, rounded) && accept(&mut values, candidate) {
                break;
            }
        }
    }
    (values, margin, step)
}
