//! The way back in a run: what it was at some of its steps, and what was changed in it.
//!
//! A step is reached from the last context that is kept before it: the steps between are made again, each change at its
//! step. Since every engine gives the same bits for the same context, what is made again is what was there before.

use std::time::{Duration, Instant};

use super::super::Context;
use super::ParamChange;

pub(super) struct Past {
    /// Bytes that contexts may take.
    limit: usize,
    /// In ascending order of their steps; the first is the run's begin.
    kept: Vec<Context>,
    /// Steps that lie between two of them, at least.
    spacing: u64,
    /// How long the run has gone on since the last was kept, and how long keeping it took.
    since: Duration,
    cost: Duration,
    /// In the order in which they were made; those behind `done` lie ahead.
    changes: Vec<ParamChange>,
    done: usize,
}

/// Keeping contexts may take this part of the time.
const PART: u32 = 30;

impl Past {
    pub fn new(limit: usize) -> Past {
        let (since, cost) = (Duration::ZERO, Duration::ZERO);
        Past { limit, kept: Vec::new(), spacing: 1, since, cost, changes: Vec::new(), done: 0 }
    }

    /// Changes how many bytes there may be.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.fit();
    }

    /// Keeps the context where there is none near it, after the run has gone on so long.
    pub fn note(&mut self, context: &Context, took: Duration) {
        self.since += took;
        let is_near = |last: &Context| context.step < last.step.saturating_add(self.spacing);
        if self.kept.last().is_some_and(|last| is_near(last) || self.since < self.cost * PART) {
            return;
        }
        let start = Instant::now();
        self.kept.push(context.clone());
        (self.since, self.cost) = (Duration::ZERO, start.elapsed());
        self.fit();
    }

    /// Leaves out every other context until the rest have room; the first goes last.
    fn fit(&mut self) {
        while self.kept.iter().map(size).sum::<usize>() > self.limit && !self.kept.is_empty() {
            let mut number = 0;
            let is_alone = self.kept.len() == 1;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1 && !is_alone
            });
            let gaps = self.kept.windows(2).map(|pair| pair[1].step - pair[0].step);
            self.spacing = gaps.min().unwrap_or(self.spacing).max(self.spacing);
        }
    }

    /// Notes a change at the step that comes next: what was to follow from there on is no longer this run's.
    pub fn change(&mut self, change: ParamChange) {
        self.kept.retain(|context| context.step <= change.step);
        self.changes.truncate(self.done);
        self.changes.push(change);
        self.done = self.changes.len();
    }

    /// The step of the next change that lies ahead.
    pub fn next_change(&self) -> Option<u64> {
        self.changes.get(self.done).map(|change| change.step)
    }

    /// The next change that is to act before `step` is made.
    pub fn take_due(&mut self, step: u64) -> Option<&ParamChange> {
        let change = self.changes.get(self.done).filter(|change| change.step <= step)?;
        self.done += 1;
        Some(change)
    }

    /// The last context before a step, or at it; all changes from there on lie ahead again. None where none is kept.
    pub fn back_to(&mut self, step: u64) -> Option<Context> {
        let behind = self.kept.partition_point(|context| context.step <= step);
        let context = self.kept.get(behind.checked_sub(1)?)?.clone();
        self.done = self.changes.partition_point(|change| change.step < context.step);
        Some(context)
    }
}

/// Bytes that a context takes.
fn size(context: &Context) -> usize {
    let Context { values, discrete, continuous, history, params, solver, .. } = context;
    let lanes = [values, discrete, continuous, history, params, solver].map(Vec::len).iter().sum::<usize>();
    lanes * size_of::<f64>() + size_of::<Context>()
}
