//! Whether all signals stay finite: the first that does not is told once, with its step and its block.

use std::sync::Arc;

use crate::engine::{Context, Engines, Execute, NonFinite, Program, Samples, Watch, is_unset};

/// Looks for the first signal that becomes infinite or not-a-number, between calls of the engine.
pub(super) struct FiniteWatch {
    is_on: bool,
    /// Whether a copy of the context costs little beside what is computed.
    keeps: bool,
    begin: Option<Context>,
}

fn is_bad(value: &f64) -> bool {
    !value.is_finite() && !is_unset(*value)
}

/// Whether something that lasts over the step is infinite or not-a-number.
fn is_bad_context(context: &Context) -> bool {
    let lasting = [&context.values, &context.discrete, &context.continuous];
    lasting.into_iter().flatten().any(is_bad)
}

impl FiniteWatch {
    /// `chunk` is how many steps one call of the engine runs. What is bad at the begin already says nothing new.
    pub fn new(is_wanted: bool, context: &Context, chunk: u64) -> FiniteWatch {
        let worked_on = context.values.len() + context.discrete.len() + context.continuous.len();
        let keeps = context.history.len() <= 4 * worked_on + chunk as usize;
        FiniteWatch { is_on: is_wanted && !is_bad_context(context), keeps, begin: None }
    }

    /// Notes where a call of the engine begins.
    pub fn begin(&mut self, context: &Context) {
        if self.is_on && self.keeps {
            self.begin = Some(context.clone());
        }
    }

    /// After a call: the step in which a signal became bad, and the signal; once. Where the begin of the call was not
    /// kept, the step behind the call.
    pub fn look(
        &mut self,
        program: &Arc<Program>,
        execute: &mut dyn Execute,
        context: &Context,
        samples: &Samples,
    ) -> Option<(u64, NonFinite)> {
        if !self.is_on {
            return None;
        }
        // Of what is recorded also that which has become finite again.
        let row = |watch: &Watch| {
            let width = (watch.values.len() / samples.len().max(1)).max(1);
            watch.values.iter().position(is_bad).map(|place| place / width)
        };
        let recorded = samples.watches().iter().filter_map(row).min().map(|row| samples.first() + row as u64);
        if recorded.is_none() && !is_bad_context(context) {
            return None;
        }
        self.is_on = false;
        let mut good = match self.begin.take() {
            None => context.clone(),
            Some(begin) => before_bad(begin, recorded, execute, context)?,
        };
        // Only the reference leaves every signal in the context. A state may show itself a step later.
        let mut reference = Engines::standard().get(Engines::REFERENCE)?.prepare(program).ok()?;
        for _ in 0..2 {
            let step = good.step;
            reference.run(&mut good, 1, &mut Samples::default()).ok()?;
            if let Some(found) = program.non_finite(&good) {
                return Some((step, found));
            }
        }
        None
    }
}

/// The context at the begin of the step in which something becomes bad, at the latest the step `recorded`.
fn before_bad(
    mut good: Context,
    recorded: Option<u64>,
    execute: &mut dyn Execute,
    context: &Context,
) -> Option<Context> {
    let mut count = recorded.map_or(context.step, |step| step + 1).saturating_sub(good.step);
    // Half as many steps again and again, until it is one.
    while count > 1 {
        let mut ahead = good.clone();
        let half = count / 2;
        execute.run(&mut ahead, half, &mut Samples::default()).ok()?;
        match is_bad_context(&ahead) {
            true => count = half,
            false => (good, count) = (ahead, count - half),
        }
    }
    Some(good)
}
