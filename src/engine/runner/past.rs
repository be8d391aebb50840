//! The way back in a run: what it was at some of its steps, and what was changed in it.
//!
//! A step is reached from the last context that is kept before it: the steps between are made again, each change at its
//! step. Since every engine gives the same bits for the same context, what is made again is what was there before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::{Context, Program};
use super::ParamChange;

/// A branch shares what is kept with the run that it leaves.
#[derive(Clone)]
pub(super) struct Past {
    /// Bytes that contexts may take.
    limit: usize,
    /// In ascending order of their steps; the first is the run's begin.
    kept: Vec<Arc<Context>>,
    /// Steps that lie between two of them, at least.
    spacing: u64,
    /// How long the run has gone on since the last was kept, and how long keeping it took.
    since: Duration,
    cost: Duration,
    /// In the order of their steps, and of making them; those behind `done` lie ahead.
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

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Changes how many bytes there may be.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.fit();
    }

    /// Keeps the context where there is none near it, after the run has gone on so long.
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

    /// Leaves out every other context until the rest have room; the first goes last.
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

    /// Notes a change at the step that comes next: what was to follow from there on is no longer this run's.
    pub fn change(&mut self, change: ParamChange) {
        self.kept.retain(|context| context.step <= change.step);
        self.changes.truncate(self.done);
        self.changes.push(change);
        self.done = self.changes.len();
    }

    /// Changes that are to be made when the run comes to their steps, from `step` on.
    pub fn plan(&mut self, step: u64, mut changes: Vec<ParamChange>) {
        changes.retain(|change| change.step >= step);
        changes.sort_by_key(|change| change.step);
        self.changes.truncate(self.done);
        self.changes.extend(changes);
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

    /// The first context that is kept: of a run that was not edited its begin.
    pub fn first(&self) -> Option<&Context> {
        self.kept.first().map(|context| &**context)
    }

    /// The last context before a step, or at it. None where none is kept.
    pub fn before(&self, step: u64) -> Option<&Context> {
        let behind = self.kept.partition_point(|context| context.step <= step);
        self.kept.get(behind.checked_sub(1)?).map(|context| &**context)
    }

    /// The same; all changes from there on lie ahead again.
    pub fn back_to(&mut self, step: u64) -> Option<Context> {
        let context = self.before(step)?.clone();
        self.done = self.changes.partition_point(|change| change.step < context.step);
        Some(context)
    }

    /// What of it lies before a step, with the changes at it: the past of a branch that begins there.
    pub fn up_to(&self, step: u64) -> Past {
        let mut past = self.clone();
        past.kept.retain(|context| context.step <= step);
        past.changes.retain(|change| change.step <= step);
        past.done = past.done.min(past.changes.len());
        past
    }

    /// Makes the changes of a context's step in it, and says how many steps there are to the next; the run itself is
    /// elsewhere.
    pub fn change_there(&self, program: &Program, context: &mut Context) -> u64 {
        let first = self.changes.partition_point(|change| change.step < context.step);
        for change in &self.changes[first..] {
            if change.step > context.step {
                return change.step - context.step;
            }
            let ParamChange { path, block, name, values, .. } = change;
            // It could be made once before.
            let _ = context.set_param(program, path, *block, name, values);
        }
        u64::MAX
    }
}

/// Bytes that a context takes.
fn size(context: &Context) -> usize {
    let Context { values, discrete, continuous, history, params, solver, .. } = context;
    let elements = [values, discrete, continuous, history, params, solver].map(Vec::len).iter().sum::<usize>();
    elements * size_of::<f64>() + size_of::<Context>()
}
