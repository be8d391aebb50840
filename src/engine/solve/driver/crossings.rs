//! Finds where within a step a decision changes: crossings are detected between the ends of a trial step and located.

use super::super::evaluate::Point;
use super::super::memory::{Memory, RELEASE};
use super::holds::Hold;
use super::variable::VariableStep;

/// The number of grid points of one step at which crossings are searched for, at most.
const MAX_LOOKS: f64 = 64.0;
/// A function that is crossed more often than this within one step of the grid, each time after less than
/// [`CHATTER_INTERVAL`] of that step, is ignored until the end of that step.
const MAX_CHATTER: u32 = 50;
const CHATTER_INTERVAL: f64 = 1e-9;
/// The number of bisections that find where something held is released.
const RELEASE_BISECTIONS: u32 = 40;

/// The values of the crossing functions at the start of a step, at the point looked at last, and at both ends of a
/// search interval.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    pub start: Vec<f64>,
    now: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// For each function how often it was crossed in quick succession, and when last, in seconds.
    chatter: Vec<(u32, f64)>,
}

impl Crossings {
    /// Forgets the crossings of the last step of the grid.
    pub fn begin_step(&mut self, count: usize) {
        self.chatter.clear();
        self.chatter.resize(count, (0, f64::NEG_INFINITY));
    }

    /// Whether an event is the crossing of a function that was not 0 at the start of the step. A step that is repeated
    /// up to where a function leaves 0 may end, by rounding, where it is still 0.
    pub fn is_left_from_a_side(&self, event: f64) -> bool {
        event > 0.0 && self.start[event as usize - 1] != 0.0
    }

    /// Counts a crossing in a step of the grid of `delta` seconds. Returns whether the function is crossed again and
    /// again.
    pub fn count(&mut self, number: usize, time: f64, delta: f64) -> bool {
        let (count, last) = &mut self.chatter[number];
        *count = if time - *last < CHATTER_INTERVAL * delta { *count + 1 } else { 0 };
        *last = time;
        *count > MAX_CHATTER
    }
}

impl VariableStep<'_> {
    /// Computes the crossing functions; those that are held or ignored are 0.
    pub(super) fn crossings_at(&mut self, memory: &Memory, time: f64, x: &[f64], found: &mut Vec<f64>) {
        self.integrator.evaluator.crossings(self.system.leaves(), Point { time, x }, found);
        for (value, hold) in found.iter_mut().zip(memory.holds()) {
            if *hold != Hold::FREE {
                *value = 0.0;
            }
        }
    }

    /// Computes the crossing functions at `time` seconds within the trial step that begins at `begin` and has the
    /// length `h`.
    fn crossings_between(&mut self, memory: &Memory, (begin, h): (f64, f64), time: f64, found: &mut Vec<f64>) {
        let mut state = std::mem::take(&mut self.integrator.work.between);
        self.between(time - begin, h, &mut state);
        self.crossings_at(memory, time, &state, found);
        self.integrator.work.between = state;
    }

    /// Returns the time in seconds and the kind of the first event in the trial step: the number of a crossing function,
    /// counted from 1, or [`RELEASE`]. It looks at the end of the step and at the grid points within it.
    pub(super) fn find_event(&mut self, memory: &Memory, time: f64, h: f64, x: &[f64]) -> Option<(f64, f64)> {
        let crossing = match self.integrator.layout.crossings {
            0 => None,
            _ => {
                let mut crossings = std::mem::take(&mut self.crossings);
                self.crossings_at(memory, time, x, &mut crossings.start);
                let found = self.find_from(memory, &mut crossings, time, h);
                self.crossings = crossings;
                found.map(|(at, number)| (at, 1.0 + number as f64))
            }
        };
        let release = self.find_release(memory, time, h).map(|at| (at, RELEASE));
        match (crossing, release) {
            (Some(crossing), Some(release)) => Some(if crossing.0 <= release.0 { crossing } else { release }),
            (crossing, release) => crossing.or(release),
        }
    }

    /// Returns the time at which something held is to be released in the trial step.
    fn find_release(&mut self, memory: &Memory, time: f64, h: f64) -> Option<f64> {
        if memory.is_free() {
            return None;
        }
        let mut state = std::mem::take(&mut self.integrator.work.between);
        let mut rates = std::mem::take(&mut self.integrator.work.defect);
        rates.resize(state.len().max(memory.state().len()), 0.0);
        let mut is_due = |step: &mut Self, since: f64| {
            step.between(since, h, &mut state);
            step.rates(time + since, &state, &mut rates);
            step.holds.is_release_due()
        };
        let found = is_due(self, h).then(|| {
            let (mut low, mut high) = (0.0, h);
            for _ in 0..RELEASE_BISECTIONS {
                let middle = 0.5 * (low + high);
                if is_due(self, middle) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            time + high
        });
        (self.integrator.work.between, self.integrator.work.defect) = (state, rates);
        found
    }

    fn find_from(&mut self, memory: &Memory, crossings: &mut Crossings, time: f64, h: f64) -> Option<(f64, usize)> {
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
            self.crossings_between(memory, (time, h), until, &mut crossings.now);
            if let Some(number) = changed(&crossings.start, &crossings.now) {
                return Some(self.locate(memory, crossings, (time, h), (from, until, number)));
            }
            if until >= end {
                return None;
            }
            from = until;
        }
    }

    /// Returns the first time after `from` at which a crossing function has another sign than at the start of the trial
    /// step, and its number; at `until` that of `number` has. Uses the Illinois variant of the false position method (Dowell, Jarratt, BIT 11, 1971),
    /// and bisection where that converges slowly.
    fn locate(
        &mut self,
        memory: &Memory,
        crossings: &mut Crossings,
        trial: (f64, f64),
        (from, until, number): (f64, f64, usize),
    ) -> (f64, usize) {
        let (mut low, mut high) = (from, until);
        let Crossings { start, now, low: at_low, high: at_high, .. } = crossings;
        self.crossings_between(memory, trial, from, at_low);
        std::mem::swap(at_high, now);
        let mut is_slow = false;
        let resolution = 4.0 * f64::EPSILON * until.abs().max(until - from);
        while high - low > resolution {
            let width = high - low;
            let mut time = low + 0.5 * width;
            if !is_slow {
                // The earliest of all crossings in the interval.
                let crossing = start.iter().zip(&*at_low).zip(&*at_high);
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
            self.crossings_between(memory, trial, time, now);
            if changed(start, now).is_some() {
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
        (high, changed(start, at_high).unwrap_or(number))
    }
}

/// Returns the number of the first function whose sign differs.
fn changed(before: &[f64], now: &[f64]) -> Option<usize> {
    before.iter().zip(now).position(|(before, now)| side(*before) != side(*now))
}

pub(super) fn side(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}
