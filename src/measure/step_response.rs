//! The step response of a system, measured on a curve.

use super::{Series, part_between};

/// The characteristics of a step response. Times are seconds from the start of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepResponse {
    /// The initial value.
    pub begin: f64,
    /// The steady-state value.
    pub rest: f64,
    /// The time at which it reaches 10 % of the step.
    pub rises_at: f64,
    /// The time from 10 % to 90 % of the step.
    pub rise_time: f64,
    /// The overshoot beyond the steady state, as a fraction of the step; 0 if there is none.
    pub overshoot: f64,
    /// The extreme value in the direction of the step, and its time.
    pub peak: f64,
    pub peak_time: f64,
    /// The time from which the curve stays within 2 % of the step around the steady state; `None` if it does not
    /// settle.
    pub settling_time: Option<f64>,
}

/// The steady state is the mean of the last 1/20 of the samples.
const REST: usize = 20;
/// The settling band around the steady state, as a fraction of the step.
pub const SETTLING_BAND: f64 = 0.02;
/// The parts of the step between which the rise time is measured.
pub const RISE: [f64; 2] = [0.1, 0.9];

/// Measures a step response as defined by Ogata, “Modern Control Engineering”, transient-response specifications.
/// `None` if there are fewer than three finite samples, or the step is less than a millionth of the peak-to-peak value.
pub fn step_response(series: Series) -> Option<StepResponse> {
    let first = series.values.iter().position(|value| value.is_finite())?;
    let values = &series.values[first..];
    if values.len() < 3 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let time = |samples: f64| samples * series.delta;
    let lead = time(first as f64);
    let begin = *values.first()?;
    let tail = &values[values.len() - (values.len() / REST).max(1)..];
    let rest = tail.iter().sum::<f64>() / tail.len() as f64;
    let height = rest - begin;
    let (low, high) = values.iter().fold((begin, begin), |(low, high), &value| (value.min(low), value.max(high)));
    if height.abs() <= (high - low) * 1e-6 || height == 0.0 {
        return None;
    }
    // Normalised values: 0 is the initial value, 1 the steady state.
    let normalised = |value: f64| (value - begin) / height;
    let reached = |level: f64| {
        let above = values.iter().position(|&value| normalised(value) >= level)?;
        let before = above.checked_sub(1)?;
        Some(before as f64 + part_between(normalised(values[before]), normalised(values[above]), level))
    };
    let [low, high] = RISE;
    let rises_at = reached(low)?;
    let rise_time = time(reached(high)? - rises_at);
    let peak_at =
        (0..values.len()).max_by(|&a, &b| normalised(values[a]).total_cmp(&normalised(values[b])).then(b.cmp(&a)))?;
    let outside = values.iter().rposition(|&value| (normalised(value) - 1.0).abs() > SETTLING_BAND);
    let settling_time = match outside {
        None => Some(0.0),
        Some(last) if last + 1 < values.len() => {
            let (from, to) = (normalised(values[last]), normalised(values[last + 1]));
            let edge = if from > 1.0 { 1.0 + SETTLING_BAND } else { 1.0 - SETTLING_BAND };
            Some(time(last as f64 + part_between(from, to, edge)))
        }
        Some(_) => None,
    };
    Some(StepResponse {
        begin,
        rest,
        rises_at: lead + time(rises_at),
        rise_time,
        overshoot: (normalised(values[peak_at]) - 1.0).max(0.0),
        peak: values[peak_at],
        peak_time: lead + time(peak_at as f64),
        settling_time: settling_time.map(|settled| lead + settled),
    })
}
