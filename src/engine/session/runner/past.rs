//! The past of a run: its contexts at some of its steps, and the changes of parameters.
//!
//! A step is reached from the last kept context before it: the steps between are computed again, with each change at
//! its step. Since every engine gives the same bits for the same context, the result is the same as the first time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ParamChange;
use crate::engine::{Context, Program};

/// A branch shares the kept contexts with the run from which it branches off.
#[derive(Clone)]
pub(super) struct Past {
    /// The bytes that contexts may use.
    limit: usize,
    /// The kept contexts, in ascending order of their steps; the first is the beginning of the run.
    kept: Vec<Arc<Context>>,
    /// The least number of steps between two of them.
    spacing: u64,
    /// How long the run has computed since the last context was kept, and how long copying that took.
    since: Duration,
    cost: Duration,
    /// The changes, in the order of their steps, then of the requests; the first `done` of them have been made.
    changes: Vec<ParamChange>,
    done: usize,
}

/// Copying contexts may take one part in `PART` of the time.
const PART: u32 = 30;

impl Past {
    pub fn new(limit: usize) -> Past {
        let (since, cost) = (Duration::ZERO, Duration::ZERO);
        Past { limit, kept: Vec::new(), spacing: 1, since, cost, changes: Vec::new(), done: 0 }
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Changes the limit in bytes.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.fit();
    }

    /// Keeps a copy of the context if there is none near it; the run has computed for the time `took` since the last
    /// call.
    pub fn note(&mut self, context: &Context, took: Duration) {
        self.since += took;
        let is_near = |last: &Arc<Context>| context.step < last.step.saturating_add(self.spacing);
        if self.kept.last().is_some_and(|last| is_near(last) || self.since < self.cost * PART) {
            return;
        }
        let start = Instant::now();
        self.kept.push(Arc::new(context.clone()));
        (self.since, self.cost) = (Duration::ZERO, start.elapsed());
        self.fit();
    }

    /// Drops every other context until the rest fit; the first is dropped last.
    fn fit(&mut self) {
        while self.kept.iter().map(|context| size(context)).sum::<usize>() > self.limit && !self.kept.is_empty() {
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

    /// Notes a change at the next step; contexts and changes after it no longer belong to this run.
    pub fn change(&mut self, change: ParamChange) {
        self.kept.retain(|context| context.step <= change.step);
        self.changes.truncate(self.done);
        self.changes.push(change);
        self.done = self.changes.len();
    }

    /// Replaces the planned changes, from `step` on.
    pub fn plan(&mut self, step: u64, mut changes: Vec<ParamChange>) {
        changes.retain(|change| change.step >= step);
        changes.sort_by_key(|change| change.step);
        self.changes.truncate(self.done);
        self.changes.extend(changes);
    }

    /// Returns the step of the next change that has not been made.
    pub fn next_change(&self) -> Option<u64> {
        self.changes.get(self.done).map(|change| change.step)
    }

    /// Returns the next change that takes effect before `step` runs.
    pub fn take_due(&mut self, step: u64) -> Option<&ParamChange> {
        let change = self.changes.get(self.done).filter(|change| change.step <= step)?;
        self.done += 1;
        Some(change)
    }

    /// Returns the first kept context: the beginning of the run if it was not edited.
    pub fn first(&self) -> Option<&Context> {
        self.kept.first().map(|context| &**context)
    }

    /// Returns the last kept context before a step or at it; `None` if there is none.
    pub fn before(&self, step: u64) -> Option<&Context> {
        let behind = self.kept.partition_point(|context| context.step <= step);
        self.kept.get(behind.checked_sub(1)?).map(|context| &**context)
    }

    /// The same; all changes from there on are to be made again.
    pub fn back_to(&mut self, step: u64) -> Option<Context> {
        let context = self.before(step)?.clone();
        self.done = self.changes.partition_point(|change| change.step < context.step);
        Some(context)
    }

    /// Returns the past of a branch that begins at a step: what lies before it, and the changes at it.
    pub fn up_to(&self, step: u64) -> Past {
        let mut past = self.clone();
        past.kept.retain(|context| context.step <= step);
        past.changes.retain(|change| change.step <= step);
        past.done = past.done.min(past.changes.len());
        past
    }

    /// Applies the changes at the step of a context to it, and returns how many steps there are to the next change. The
    /// run itself is not affected.
    pub fn change_there(&self, program: &Program, context: &mut Context) -> u64 {
        let first = self.changes.partition_point(|change| change.step < context.step);
        for change in &self.changes[first..] {
            if change.step > context.step {
                return change.step - context.step;
            }
            // The same change succeeded before.
            let _ = context.set_param(program, &change.param, &change.values);
        }
        u64::MAX
    }
}

/// Returns the bytes that a context uses.
fn size(context: &Context) -> usize {
    let Context { values, discrete, continuous, history, records, params, solver, .. } = context;
    let arrays = [values, discrete, continuous, history, params, solver].map(Vec::len).iter().sum::<usize>();
    let elements = arrays + records.iter().map(|record| record.numbers().len()).sum::<usize>();
    elements * size_of::<f64>() + size_of::<Context>()
}
