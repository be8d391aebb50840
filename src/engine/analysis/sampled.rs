//! A continuous channel as a sampled controller sees it, and a channel behind a delay.

use super::channel::Channel;
use super::delays::{Delayed, Substitute};
use crate::block::math::Matrix;

/// The most states of a sampled channel, those of delay lines included.
const MAX_STATES: usize = 150;
/// The most parts into which a sample time is divided so that delays are multiples of a part.
const MAX_PARTS: usize = 50;

impl Channel {
    /// Returns the continuous channel with its input delayed by a time in seconds, with a Padé form of this order in its
    /// matrices; `None` if it is discrete, or its Padé form has no solution.
    pub fn behind_delay(&self, seconds: f64, order: usize) -> Option<Channel> {
        let inner = self.delayed();
        if self.period.is_some() {
            return None;
        }
        // u is the first output of the delay, which the system sees in place of its input.
        let (n, k) = (inner.a.rows, inner.seconds.len());
        let columns: Vec<usize> = (1..=k).chain([0]).collect();
        let states: Vec<usize> = (0..n).collect();
        let all: Vec<usize> = (0..=k).collect();
        let (b, d) = (inner.b.part(&states, &columns), inner.d.part(&all, &columns));
        let exact = Delayed {
            a: inner.a,
            b: super::delays::beside(&Matrix::zero(n, 1), &b),
            c: super::delays::stacked(&inner.c, &Matrix::zero(1, n)),
            d: Matrix::from(k + 2, k + 2, |row, column| match (row, column) {
                (row, column) if row <= k && column > 0 => d.at(row, column - 1),
                (row, 0) if row == k + 1 => 1.0,
                _ => 0.0,
            }),
            seconds: inner.seconds.into_iter().chain([seconds]).collect(),
        };
        let [a, b, c, d] = exact.closed(&Substitute::pade(&exact.seconds, order))?;
        Some(Channel { exact: Some(exact), ..Channel::of(a, b, c, d.at(0, 0), None) })
    }

    /// Returns the channel without its delays in time; `None` if that has a loop without a solution.
    pub fn without_delays(&self) -> Option<Channel> {
        let system = self.delayed();
        let none = vec![0.0; system.seconds.len()];
        let [a, b, c, d] = system.closed(&Substitute::pade(&none, 1))?;
        Some(Channel::of(a, b, c, d.at(0, 0), self.period))
    }

    /// Returns the channel at the samples of its output, with its input held from sample to sample. Delays are lines of
    /// values, exact where they are multiples of a part of the sample time, interpolated otherwise. `None` if the channel
    /// is discrete already, or delays and direct feedthrough form a loop without a solution.
    pub fn sampled(&self, period: f64) -> Option<Channel> {
        if self.period.is_some() {
            return None;
        }
        let system = self.delayed();
        let parts = parts(&system.seconds, period, system.a.rows);
        let step = period / parts as f64;
        let [a, b, c, d] = held(&system, step).closed(&Substitute::lines(&system.seconds, step))?;
        let size = a.rows;
        let (mut all_a, mut all_b) = (Matrix::identity(size), Matrix::zero(size, 1));
        for _ in 0..parts {
            (all_a, all_b) = (a.times(&all_a), a.times(&all_b).plus(&b));
        }
        Some(Channel::of(all_a, all_b, c, d.at(0, 0), Some(period)))
    }
}

/// The system from step to step, its inputs and delayed signals held meanwhile.
pub(super) fn held(system: &Delayed, step: f64) -> Delayed {
    let (n, m) = (system.a.rows, system.b.columns);
    let flow = Matrix::from(n + m, n + m, |row, column| match (row < n, column < n) {
        (true, true) => system.a.at(row, column) * step,
        (true, false) => system.b.at(row, column - n) * step,
        (false, _) => 0.0,
    });
    let flow = flow.exponential();
    let (states, inputs): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (n..n + m).collect());
    Delayed { a: flow.part(&states, &states), b: flow.part(&states, &inputs), ..system.clone() }
}

/// The number of parts of a sample time of which the delays are multiples, or nearly so.
fn parts(delays: &[f64], period: f64, states: usize) -> usize {
    let fits = |parts: &usize| {
        let step = period / *parts as f64;
        let lines: usize = delays.iter().map(|delay| Substitute::line_length(*delay, step)).sum();
        states + lines <= MAX_STATES
    };
    let error = |parts: usize| {
        let in_steps = delays.iter().map(|delay| delay / period * parts as f64);
        in_steps.map(|steps| (steps - steps.round()).abs()).fold(0.0, f64::max)
    };
    let possible: Vec<usize> = (1..=MAX_PARTS).take_while(fits).collect();
    let exact = possible.iter().copied().find(|parts| error(*parts) < 1e-9);
    exact.or(possible.last().copied()).unwrap_or(1)
}
