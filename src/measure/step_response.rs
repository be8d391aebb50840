//! How a curve goes from one rest to another.

use super::{Series, part_between};

/// What is said of the answer to a step. Times are seconds from the begin of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepResponse {
    /// The value that the curve begins with.
    pub begin: f64,
    /// The value that it comes to rest at.
    pub rest: f64,
    /// From 10 % to 90 % of the way.
    pub rise_time: f64,
    /// How far beyond its rest the curve goes, as a part of the way; 0 where it never does.
    pub overshoot: f64,
    /// The value that is furthest in the step's direction, and when.
    pub peak: f64,
    pub peak_time: f64,
    /// From when on the curve stays within 2 % of the way from its rest; none where it does not do so by the end.
    pub settling_time: Option<f64>,
}

/// The part of the samples at the end whose mean is the rest.
const REST: usize = 20;
/// The band round the rest, as a part of the way.
const BAND: f64 = 0.02;

/// As textbooks define it (Ogata, “Modern Control Engineering”, transient-response specifications). The rest is the
/// mean of the last twentieth of the samples. None where there are fewer than three finite samples, or begin and rest
/// are equal to a millionth of the curve's span.
pub fn step_response(series: Series) -> Option<StepResponse> {
    let first = series.values.iter().position(|value| value.is_finite())?;
    let values = &series.values[first..];
    if values.len() < 3 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let time = |place: f64| place * series.delta;
    let begin = *values.first()?;
    let tail = &values[values.len() - (values.len() / REST).max(1)..];
    let rest = tail.iter().sum::<f64>() / tail.len() as f64;
    let way = rest - begin;
    let (low, high) = values.iter().fold((begin, begin), |(low, high), &value| (value.min(low), value.max(high)));
    if way.abs() <= (high - low) * 1e-6 || way == 0.0 {
        return None;
    }
    // From here on 0 is the begin and 1 the rest.
    let part = |value: f64| (value - begin) / way;
    let reached = |level: f64| {
        let above = values.iter().position(|&value| part(value) >= level)?;
        let before = above.checked_sub(1)?;
        Some(before as f64 + part_between(part(values[before]), part(values[above]), level))
    };
    let rise_time = time(reached(0.9)? - reached(0.1)?);
    let peak_at = (0..values.len()).max_by(|&a, &b| part(values[a]).total_cmp(&part(values[b])).then(b.cmp(&a)))?;
    let outside = values.iter().rposition(|&value| (part(value) - 1.0).abs() > BAND);
    let settling_time = match outside {
        None => Some(0.0),
        Some(last) if last + 1 < values.len() => {
            let (from, to) = (part(values[last]), part(values[last + 1]));
            let edge = if from > 1.0 { 1.0 + BAND } else { 1.0 - BAND };
            Some(time(last as f64 + part_between(from, to, edge)))
        }
        Some(_) => None,
    };
    let lead = time(first as f64);
    Some(StepResponse {
        begin,
        rest,
        rise_time,
        overshoot: (part(values[peak_at]) - 1.0).max(0.0),
        peak: values[peak_at],
        peak_time: lead + time(peak_at as f64),
        settling_time: settling_time.map(|settled| lead + settled),
    })
}
