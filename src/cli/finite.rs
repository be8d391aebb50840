//! Finds the first signal that becomes infinite or not-a-number, with its step and block.

use std::sync::Arc;

use crate::engine::{Context, Engines, Execute, NonFinite, Program, Samples, Watch, is_unset};

/// Searches for the first non-finite signal between calls of the engine.
pub(super) struct FiniteWatch {
    is_on: bool,
    /// Whether copying the context is cheap compared with the computation.
    keeps: bool,
    begin: Option<Context>,
}

fn is_bad(value: &f64) -> bool {
    !value.is_finite() && !is_unset(*value)
}

/// Whether a value or state in the context is infinite or not-a-number.
fn is_bad_context(context: &Context) -> bool {
    let lasting = [&context.values, &context.discrete, &context.continuous];
    lasting.into_iter().flatten().any(is_bad)
}

impl FiniteWatch {
    /// `chunk` is the number of steps in a call of the engine. A context that is non-finite at the start is not
    /// watched.
    pub fn new(context: &Context, chunk: u64) -> FiniteWatch {
        let worked_on = context.values.len() + context.discrete.len() + context.continuous.len();
        let keeps = context.history.len() <= 4 * worked_on + chunk as usize;
        FiniteWatch { is_on: !is_bad_context(context), keeps, begin: None }
    }

    /// Returns a watch that finds nothing.
    pub fn off() -> FiniteWatch {
        FiniteWatch { is_on: false, keeps: false, begin: None }
    }

    /// Stores the context at the start of a call of the engine.
    pub fn begin(&mut self, context: &Context) {
        if self.is_on && self.keeps {
            self.begin = Some(context.clone());
        }
    }

    /// Returns, once, the first step and signal that became non-finite in a call. If the context at the start was not
    /// stored, the step is the one after the call.
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
        // A recorded signal may have become finite again.
        let row = |watch: &Watch| {
            let width = (watch.values.len() / samples.len().max(1)).max(1);
            watch.values.iter().position(is_bad).map(|index| index / width)
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
        // Only the reference engine keeps every signal in the context. A state may affect a signal one step later.
        let mut reference = Engines::reference().prepare(program).ok()?;
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

/// Returns the context at the start of the step in which a value becomes non-finite, at the latest the step `recorded`.
fn before_bad(
    mut good: Context,
    recorded: Option<u64>,
    execute: &mut dyn Execute,
    context: &Context,
) -> Option<Context> {
    let mut count = recorded.map_or(context.step, |step| step + 1).saturating_sub(good.step);
    // Bisection.
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
