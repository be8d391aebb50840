//! Responses in time of systems with delays, without Padé forms.

use super::delays::Delayed;
use crate::block::math::Matrix;

/// Positions in a history within this of a sample count as the sample.
const NEAR: f64 = 1e-9;
/// The most parts into which a step is divided for short delays.
const MAX_PARTS: f64 = 16.0;
/// The largest change of a state within a part, as a fraction of it.
const RESOLVED: f64 = 0.1;

impl Delayed {
    /// Returns the responses of all outputs to a step of height 1 at one input, from time 0 on at multiples of `step`
    /// seconds. The states are exact for inputs and delayed signals that are linear between the computed times, which
    /// divide `step` so that they meet the delays; a discrete system, with `step` as its sample time, has no delays.
    pub fn step_responses(&self, input: usize, step: f64, count: usize, is_discrete: bool) -> Vec<Vec<f64>> {
        let delays = self.seconds.len();
        let (n, m) = (self.a.rows, self.b.columns - delays);
        let outputs = self.c.rows - delays;
        let parts = if is_discrete { 1 } else { self.parts(step) };
        let h = step / parts as f64;
        let [a, constant, ramp] = match is_discrete {
            true => [self.a.clone(), self.b.clone(), Matrix::zero(n, m + delays)],
            false => self.linear_between(h),
        };
        let mut responses = vec![Vec::with_capacity(count); outputs];
        let mut history: Vec<Vec<f64>> = vec![Vec::new(); delays];
        let mut x = Matrix::zero(n, 1);
        for number in 0..count.saturating_sub(1) * parts + 1 {
            let time = number as f64 * h;
            let signals = |delayed: Vec<f64>| {
                let inputs = (0..m).map(|at| if at == input { 1.0 } else { 0.0 });
                Matrix { rows: m + delays, columns: 1, values: inputs.chain(delayed).collect() }
            };
            let now = signals(self.delayed_at(&history, time, h, false));
            let y = self.c.times(&x).plus(&self.d.times(&now)).values;
            if number % parts == 0 {
                responses.iter_mut().zip(&y).for_each(|(to, value)| to.push(*value));
            }
            history.iter_mut().zip(y.get(outputs..).unwrap_or_default()).for_each(|(to, value)| to.push(*value));
            x = a.times(&x).plus(&constant.times(&now));
            if delays > 0 {
                let growth = signals(self.delayed_at(&history, time + h, h, true)).plus(&now.scaled(-1.0));
                x = x.plus(&ramp.times(&growth));
            }
        }
        responses
    }

    /// Returns the delayed signals at a time, from their histories with samples every `h` seconds.
    fn delayed_at(&self, history: &[Vec<f64>], time: f64, h: f64, is_end: bool) -> Vec<f64> {
        history.iter().zip(&self.seconds).map(|(values, delay)| past(values, (time - delay) / h, is_end)).collect()
    }

    /// Returns into how many parts a step is divided.
    fn parts(&self, step: f64) -> usize {
        let delays = || self.seconds.iter().filter(|delay| **delay > 0.0);
        let shortest = delays().copied().fold(f64::INFINITY, f64::min);
        if !shortest.is_finite() {
            return 1;
        }
        // Delayed signals are lines between the samples, so that these follow the fastest state.
        let least = (step / shortest).max(step * self.a.norm() / RESOLVED).ceil().clamp(1.0, MAX_PARTS) as usize;
        let error = |parts: usize| {
            let in_steps = delays().map(|delay| delay / step * parts as f64);
            in_steps.map(|steps| (steps - steps.round()).abs()).fold(0.0, f64::max)
        };
        let most = MAX_PARTS as usize;
        (least..=most).find(|parts| error(*parts) < 1e-6).unwrap_or(least)
    }

    /// Returns the matrices by which the states change in `h` seconds: of the states, of constant inputs, and of the growth
    /// of linear ones.
    fn linear_between(&self, h: f64) -> [Matrix; 3] {
        let (n, m) = (self.a.rows, self.b.columns);
        let flow = Matrix::from(n + 2 * m, n + 2 * m, |row, column| match (row, column) {
            (row, column) if row < n && column < n => self.a.at(row, column) * h,
            (row, column) if row < n && column < n + m => self.b.at(row, column - n) * h,
            (row, column) if row >= n && row + m == column => 1.0,
            _ => 0.0,
        });
        let flow = flow.exponential();
        let all = |first: usize, count: usize| (first..first + count).collect::<Vec<_>>();
        let states = all(0, n);
        [all(0, n), all(n, m), all(n + m, m)].map(|columns| flow.part(&states, &columns))
    }
}

/// Returns a value of a history at a position in samples, 0 before the first one. At the first sample it is 0, too, for the
/// end of a step.
fn past(values: &[f64], position: f64, is_end: bool) -> f64 {
    let first = if is_end { NEAR } else { -NEAR };
    if position < first {
        return 0.0;
    }
    let whole = (position + NEAR).floor().max(0.0);
    let part = (position - whole).max(0.0);
    let at = |index: usize| values.get(index).or(values.last()).copied().unwrap_or(0.0);
    let (low, high) = (at(whole as usize), at(whole as usize + 1));
    if part < NEAR { low } else { low + part * (high - low) }
}
