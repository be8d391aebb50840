//! The closed loop: margins, responses in time, and the figures read off them.

use super::pid::Gains;
use super::plant::{Plant, Point};
use crate::block::math::{Complex, ComplexMath};
use crate::engine::Margins;
use crate::measure::{Series, step_response};

/// The number of samples of a response of a continuous loop.
const SAMPLES: usize = 601;
/// The most samples of a discrete loop, and the fewest.
const MAX_SAMPLES: usize = 5000;
const MIN_SAMPLES: usize = 30;
/// The responses last so many times 1/crossover, and up to so many times longer where they have not settled.
const TIMES: f64 = 15.0;
const MAX_LONGER: usize = 6;

/// The figures by which a loop is judged. Times are in seconds, frequencies in radians per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// `None` if the poles are not found.
    pub is_stable: Option<bool>,
    pub margins: Margins,
    /// The peak of the sensitivity `1/(1 + L)`: 1/distance of the open loop from −1.
    pub peak: f64,
    /// `None` if the loop is not stable, or the step does not come to rest.
    pub rise_time: Option<f64>,
    pub settling_time: Option<f64>,
    /// As a fraction of the step.
    pub overshoot: Option<f64>,
    /// The largest control signal after a step of height 1.
    pub effort: Option<f64>,
    /// The largest deviation after a load disturbance of height 1.
    pub deviation: Option<f64>,
}

/// Responses in time from 0 on, at multiples of `step` seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Responses {
    pub step: f64,
    /// The measurement and the control signal after a step of the set point of height 1.
    pub output: Vec<f64>,
    pub control: Vec<f64>,
    /// The measurement after a step of height 1 of a load disturbance at the plant's input.
    pub disturbance: Vec<f64>,
    /// Whether values hold until the next one.
    pub is_held: bool,
}

impl Plant {
    /// Returns the margins of the open loop with these gains.
    pub fn margins(&self, gains: &Gains) -> Margins {
        let value = |frequency: f64| self.open_at(gains, frequency);
        let ends = [0.0, self.nyquist()].into_iter().filter(|at| at.is_finite());
        let ends: Vec<Point> = ends.filter_map(|at| Some((at, value(at)?))).collect();
        let ends: Vec<Point> = ends.into_iter().filter(|(_, value)| value.re.is_finite()).collect();
        Margins::of(&value, &ends, &self.open_points(gains))
    }

    fn open_points(&self, gains: &Gains) -> Vec<Point> {
        let open = |(frequency, value): &Point| {
            let controller = self.pid.at(gains, self.channel.point_of(*frequency));
            (*frequency, *value * controller)
        };
        self.points.iter().map(open).collect()
    }

    /// Returns the peak of the sensitivity with these gains.
    pub fn peak(&self, gains: &Gains) -> f64 {
        let open = self.open_points(gains);
        let sensitivity = |value: Complex| 1.0 / (value + 1.0).abs();
        let highest = |best: usize, at: usize| {
            if sensitivity(open[at].1) > sensitivity(open[best].1) { at } else { best }
        };
        if open.is_empty() {
            return f64::NAN;
        }
        let best = (0..open.len()).fold(0, highest);
        // A search by thirds between the neighbours of the highest point.
        let (mut low, mut high) = (open[best.saturating_sub(1)].0, open[(best + 1).min(open.len() - 1)].0);
        let value = |frequency: f64| self.open_at(gains, frequency).map_or(0.0, sensitivity);
        for _ in 0..40 {
            let third = (high - low) / 3.0;
            if value(low + third) < value(high - third) { low += third } else { high -= third }
        }
        value(0.5 * (low + high)).max(sensitivity(open[best].1))
    }

    /// Returns the responses with these gains, over `until` seconds, or over a time that fits them; `None` if direct
    /// feedthrough forms a loop without a solution.
    pub fn responses(&self, gains: &Gains, until: Option<f64>) -> Option<Responses> {
        let closed = self.closed(gains)?;
        let crossover = self.margins(gains).phase_at.filter(|at| *at > 0.0);
        let first = until.unwrap_or_else(|| self.horizon(crossover));
        let period = self.channel.period;
        let longest = if self.is_stable_with(gains) == Some(false) { 1 } else { MAX_LONGER };
        let mut responses = Responses::default();
        for longer in 0..longest {
            let until = first * crate::block::math::power(2.0, longer as f64);
            let (step, count) = match period {
                None => {
                    let step = fitting(until / (SAMPLES - 1) as f64, &closed.seconds);
                    (step, (until / step).ceil() as usize + 1)
                }
                Some(period) => (period, ((until / period) as usize + 1).clamp(MIN_SAMPLES, MAX_SAMPLES)),
            };
            let by_set_point = closed.step_responses(0, step, count, period.is_some());
            let by_load = closed.step_responses(1, step, count, period.is_some());
            let [mut by_set_point, mut by_load] = [by_set_point, by_load].map(Vec::into_iter);
            responses = Responses {
                step,
                output: by_set_point.next().unwrap_or_default(),
                control: by_set_point.next().unwrap_or_default(),
                disturbance: by_load.next().unwrap_or_default(),
                is_held: period.is_some(),
            };
            if has_settled(&responses.output) && has_settled(&responses.disturbance) {
                break;
            }
        }
        Some(responses)
    }

    /// Returns a time in seconds in which most of a response is over.
    fn horizon(&self, crossover: Option<f64>) -> f64 {
        let slowest = || self.channel.horizon();
        crossover.map_or_else(slowest, |at| TIMES / at)
    }

    /// Returns what the loop with these gains is judged by, from its responses.
    pub fn figures(&self, gains: &Gains, responses: &Responses) -> Figures {
        let is_stable = self.is_stable_with(gains);
        let series = Series { values: &responses.output, start: 0.0, delta: responses.step };
        let measured = step_response(series).filter(|_| is_stable != Some(false));
        let largest = |values: &[f64]| {
            let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
            (is_stable != Some(false) && largest.is_finite()).then_some(largest)
        };
        Figures {
            is_stable,
            margins: self.margins(gains),
            peak: self.peak(gains),
            rise_time: measured.map(|measured| measured.rise_time),
            settling_time: measured.and_then(|measured| measured.settling_time),
            overshoot: measured.map(|measured| measured.overshoot),
            effort: largest(&responses.control),
            deviation: largest(&responses.disturbance),
        }
    }
}

/// Returns a step in seconds of about a length, of which the longest delay is a multiple, or which is one of it.
fn fitting(step: f64, delays: &[f64]) -> f64 {
    let longest = delays.iter().copied().fold(0.0, f64::max);
    match longest {
        0.0 => step,
        longest if longest >= step => longest / (longest / step).ceil(),
        longest => longest * (step / longest).floor(),
    }
}

/// Whether the last fifth of a response stays within a hundredth of its range.
fn has_settled(values: &[f64]) -> bool {
    let range = |values: &[f64]| {
        let limits = |(low, high): (f64, f64), value: &f64| (low.min(*value), high.max(*value));
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), limits);
        high - low
    };
    let tail = values.get(values.len() * 4 / 5..).unwrap_or_default();
    range(tail) <= 0.01 * range(values)
}
