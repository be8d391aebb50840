//! Why a step cannot be completed: limits, cancelling, and the first value that is not finite.

use std::sync::Arc;

use super::{ConditionalSubsystem, Program};
use crate::block::number_text;
use crate::engine::{Context, OutputId, SubsystemId, UnitId, is_unset};
use crate::model::{BlockAddress, Diagnostic, Simulation, model_at, no_worker};

/// The reason why a step cannot be completed; [`RunError`] adds the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Fault {
    /// The unit that caused it, if there is one.
    pub unit: Option<UnitId>,
    pub problem: String,
    pub kind: RunErrorKind,
}

/// The changes that a run needs to continue after an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunErrorKind {
    /// Other values: parameters, an edit, or an earlier step.
    #[default]
    Step,
    /// A worker for a remote block, or this computer instead of it.
    NoWorker {
        /// The name of the block's pool.
        pool: Arc<str>,
    },
}

/// A step that cannot be completed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("step {step}, {} s: {problem}", number_text(*.time))]
pub struct RunError {
    pub step: u64,
    /// Seconds.
    pub time: f64,
    pub problem: String,
    /// The block that caused it, if there is one.
    pub block: Option<BlockAddress>,
    pub kind: RunErrorKind,
}

impl RunErrorKind {
    /// Returns the diagnostic of an error with this message at this block; `None` if values of the model caused it,
    /// since those are no mistake in the document.
    pub fn diagnostic(
        &self,
        message: &str,
        block: Option<&BlockAddress>,
        simulation: &Simulation,
    ) -> Option<Diagnostic> {
        let RunErrorKind::NoWorker { pool } = self else { return None };
        let found = no_worker(message, pool);
        let shown = self.shown_at(block, simulation);
        let model = shown.and_then(|shown| Some((model_at(simulation, &shown.path)?, shown.block)));
        Some(match model {
            Some((model, id)) => found.on_block(&model.name, id),
            None => found,
        })
    }

    /// Returns the block at which the error is shown. An error without a worker names a block inside; the
    /// user moved the model block around it.
    pub fn shown_at(&self, block: Option<&BlockAddress>, simulation: &Simulation) -> Option<BlockAddress> {
        let RunErrorKind::NoWorker { .. } = self else { return block.cloned() };
        block?.outer().find(|outer| outer.find(simulation).is_some_and(|block| block.pool().is_some()))
    }
}

impl Fault {
    /// A step that cannot be completed because of the values of the model.
    pub fn new(unit: Option<UnitId>, problem: impl Into<String>) -> Fault {
        Fault { unit, problem: problem.into(), kind: RunErrorKind::Step }
    }

    /// A step that cannot be completed because a remote block has no worker.
    #[cfg(feature = "pool")]
    pub fn without_worker(unit: UnitId, pool: &Arc<str>, problem: &str) -> Fault {
        let kind = RunErrorKind::NoWorker { pool: Arc::clone(pool) };
        Fault { unit: Some(unit), problem: format!("no worker for the pool “{pool}”: {problem}"), kind }
    }

    /// A step that was given up because the run was cancelled. The caller knows that, and reports no error.
    pub fn cancelled() -> Fault {
        Fault::new(None, "the run was cancelled")
    }

    /// The error of the step that would begin in `context`.
    pub fn error(self, program: &Program, context: &Context) -> RunError {
        RunError {
            step: context.step,
            time: context.time(program),
            problem: self.problem,
            block: self.unit.map(|unit| program.block_of(unit)),
            kind: self.kind,
        }
    }
}

/// The fault of an output that is infinite or NaN; of several the one nearest to the cause: the first in the program
/// whose unit has only finite inputs. `elements` returns the elements of an output; values that were never set do not
/// count.
pub(in crate::engine) fn non_finite<'a>(program: &Program, elements: impl Fn(OutputId) -> &'a [f64]) -> Option<Fault> {
    let is_finite = |element: &f64| element.is_finite() || is_unset(*element);
    let bad = |output: OutputId| elements(output).iter().copied().find(|element| !is_finite(element));
    let mut found = None;
    for (number, unit) in program.units.iter() {
        let Some((output, value)) = program.outputs_of(unit).find_map(|output| Some((output, bad(output)?))) else {
            continue;
        };
        let mut sources = program.sources_of(unit).iter().flatten();
        let is_cause = sources.all(|&source| bad(source).is_none());
        if is_cause || found.is_none() {
            let problem = format!("“{}” became {}", program.output_name(number, output), written(value));
            found = Some(Fault::new(Some(number), problem));
        }
        if is_cause {
            break;
        }
    }
    found
}

/// A signal that is infinite or NaN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonFinite {
    /// Its block: the model blocks that lead to it, and its id.
    pub block: BlockAddress,
    /// The output and its value, in words.
    pub problem: String,
}

impl ConditionalSubsystem {
    /// The fault of a step with more runs than the limit.
    pub(in crate::engine) fn beyond_limit(&self) -> Fault {
        let problem = format!("it would run more than {} times in this step, which is its limit", self.limit);
        Fault::new(Some(self.enable_unit), problem)
    }
}

impl Program {
    /// The fault of a step that exceeds the limit on block executions. It names the outermost iterated subsystem that
    /// is running, otherwise the first iterated subsystem, otherwise the unit that exceeded the limit.
    pub(in crate::engine) fn beyond_runs(&self, subsystem: Option<SubsystemId>, unit: Option<UnitId>) -> Fault {
        let around = std::iter::successors(subsystem, |&subsystem| self.subsystems[subsystem].parent);
        let outermost =
            around.map(|subsystem| &self.subsystems[subsystem]).filter(|subsystem| subsystem.is_iterated).last();
        let part = outermost.or_else(|| self.subsystems.values().find(|subsystem| subsystem.is_iterated));
        let unit = part.map(|part| part.enable_unit).or(unit).or_else(|| self.first_repeat());
        Fault::new(unit, format!("the step has run more than {} blocks", self.max_executions))
    }

    /// The signal that is infinite or NaN in a context; of several the one nearest to the cause.
    pub fn non_finite(&self, context: &Context) -> Option<NonFinite> {
        // Nearly always all values are finite, which this check finds out quickly.
        context.values.iter().find(|value| !value.is_finite() && !is_unset(**value))?;
        let elements = |output| &context.values[self.outputs[output].elements()];
        let Fault { unit, problem, .. } = non_finite(self, elements)?;
        // The name of an output alone says little.
        let problem = problem.replacen(" became ", &format!(" of {} became ", self.title_of(unit?)), 1);
        Some(NonFinite { block: self.block_of(unit?), problem })
    }
}

fn written(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "infinite",
        f64::NEG_INFINITY => "minus infinity",
        _ => "not-a-number",
    }
}
