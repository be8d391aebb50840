//! Finds where within a step a decision changes: crossings are detected between the ends of a trial step and located.

use super::super::super::fault::Fault;
use super::super::evaluate::Point;
use super::super::memory::{Memory, is_same};
use super::VariableStep;

/// After this many iterations, decisions that keep changing each other are an error.
const MAX_DECISIONS: usize = 100;
/// The number of grid points of one step at which crossings are searched for, at most.
const MAX_LOOKS: f64 = 64.0;

/// The values of the crossing functions at the begin of a step, at the point looked at last, and at both ends of a
/// search interval.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    begin: Vec<f64>,
    now: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl VariableStep<'_> {
    fn crossings_at(&mut self, time: f64, x: &[f64], found: &mut Vec<f64>) {
        self.integrator.evaluator.crossings(self.system.leaves(), Point { time, x }, found);
    }

    /// Computes the crossing functions at `time` seconds within the trial step that begins at `begin` and has the
    /// length `h`.
    fn crossings_between(&mut self, (begin, h): (f64, f64), time: f64, found: &mut Vec<f64>) {
        let mut state = std::mem::take(&mut self.integrator.work.between);
        self.between(time - begin, h, &mut state);
        self.crossings_at(time, &state, found);
        self.integrator.work.between = state;
    }

    /// Returns the time in seconds and the number of the first crossing in the trial step. It looks at the end of the
    /// step and at the grid points within it.
    pub(super) fn find_crossing(&mut self, time: f64, h: f64, x: &[f64]) -> Option<(f64, usize)> {
        if !self.integrator.evaluator.has_crossings {
            return None;
        }
        let mut crossings = std::mem::take(&mut self.crossings);
        self.crossings_at(time, x, &mut crossings.begin);
        let found = self.find_from(&mut crossings, time, h);
        self.crossings = crossings;
        found
    }

    fn find_from(&mut self, crossings: &mut Crossings, time: f64, h: f64) -> Option<(f64, usize)> {
        let delta = self.integrator.program.delta;
        let end = time + h;
        let first = (time / delta).floor() + 1.0;
        let stride = ((end / delta - first) / MAX_LOOKS).ceil().max(1.0);
        let (mut from, mut number) = (time, first);
        loop {
            let until = (number * delta).min(end);
            number += stride;
            if until <= from {
                if until >= end {
                    return None;
                }
                continue;
            }
            self.crossings_between((time, h), until, &mut crossings.now);
            if let Some(number) = changed(&crossings.begin, &crossings.now) {
                return Some((self.locate(crossings, (time, h), from, until), number));
            }
            if until >= end {
                return None;
            }
            from = until;
        }
    }

    /// Returns the first time after `from` at which a crossing function has another sign than at the begin of the trial
    /// step; at `until` it has. Uses the Illinois variant of the false position method (Dowell, Jarratt, BIT 11, 1971),
    /// and bisection where that converges slowly.
    fn locate(&mut self, crossings: &mut Crossings, trial: (f64, f64), from: f64, until: f64) -> f64 {
        let (mut low, mut high) = (from, until);
        let Crossings { begin, now, low: at_low, high: at_high } = crossings;
        self.crossings_between(trial, from, at_low);
        std::mem::swap(at_high, now);
        let mut is_slow = false;
        let resolution = 4.0 * f64::EPSILON * until.abs().max(until - from);
        while high - low > resolution {
            let width = high - low;
            let mut time = low + 0.5 * width;
            if !is_slow {
                // The earliest of all crossings in the interval.
                let crossing = begin.iter().zip(&*at_low).zip(&*at_high);
                let crossing = crossing.filter(|((first, _), high)| side(**first) != side(**high));
                let guesses = crossing.map(|((_, a), b)| low + width * (a / (a - b)));
                // Slightly later, so that the guess is on the far side.
                let earliest = guesses.fold(f64::INFINITY, f64::min) + 0.5 * resolution;
                if earliest > low && earliest < high {
                    time = earliest;
                }
            }
            if time <= low || time >= high {
                break;
            }
            self.crossings_between(trial, time, now);
            if changed(begin, now).is_some() {
                high = time;
                std::mem::swap(at_high, now);
            } else {
                low = time;
                std::mem::swap(at_low, now);
                // The value at the end that is kept counts half, so that the next guess lies beyond the crossing.
                at_high.iter_mut().for_each(|value| *value *= 0.5);
            }
            is_slow = high - low > 0.5 * width;
        }
        high
    }

    /// Lets modes change and states jump until nothing changes any more; then restarts the solver.
    pub(super) fn decide(&mut self, memory: &mut Memory, time: f64, x: &mut [f64]) -> Result<(), Fault> {
        let mut next = self.system.leaves().next.to_vec();
        for iteration in 0.. {
            let (x_before, next_before) = (x.to_vec(), next.clone());
            self.integrator.evaluator.decide(self.system.leaves(), time, x, &mut next);
            if is_same(&x_before, x) && is_same(&next_before, &next) {
                break;
            }
            self.system.set_next(&next);
            if iteration > MAX_DECISIONS {
                let fault = self.integrator.fault(None, "meets decisions that turn each other to and fro");
                return Err(fault);
            }
        }
        self.restart(memory, time, x)?;
        self.first_length(memory);
        Ok(())
    }
}

/// Returns the number of the first function whose sign differs.
fn changed(before: &[f64], now: &[f64]) -> Option<usize> {
    before.iter().zip(now).position(|(before, now)| side(*before) != side(*now))
}

fn side(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}
