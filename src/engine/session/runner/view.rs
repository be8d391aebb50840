//! All values of one step, also of signals that were not watched.
//!
//! The fast engines keep only what they need; therefore the step is repeated by the reference engine, which leaves
//! every output in the context. The run itself is not affected.

use std::sync::Arc;

use super::RunId;
use crate::block::language::Watched;
use crate::block::{StateKind, WatchedCode};
use crate::engine::{CodeUnknown, Context, Engines, Execute, Program, RunError, RunErrorKind, Samples};
use crate::model::{BlockAddress, SignalKey};

/// A step of a run with all its values.
#[derive(Clone, Debug)]
pub struct StepValues {
    pub run: RunId,
    pub step: u64,
    /// Seconds at the beginning of the step.
    pub time: f64,
    pub program: Arc<Program>,
    /// The context at the beginning of the step.
    pub begin: Context,
    /// The context after the step: the outputs have the values of this step, the states those of the next.
    pub context: Context,
}

impl PartialEq for StepValues {
    fn eq(&self, other: &StepValues) -> bool {
        let StepValues { run, step, time, program, begin, context } = self;
        (*run, *step, *time) == (other.run, other.step, other.time)
            && Arc::ptr_eq(program, &other.program)
            && (begin, context) == (&other.begin, &other.context)
    }
}

impl StepValues {
    /// Returns the elements of a signal; empty if it was never set, `None` if there is no such signal.
    pub fn value(&self, signal: &SignalKey) -> Option<&[f64]> {
        Some(self.context.output(&self.program, self.program.output_of(signal)?))
    }
}

impl StepValues {
    /// Runs the code of a block again with the numbers of the step; returns what it did, with its text.
    ///
    /// # Errors
    /// Fails if the block has no code or did not run in the step.
    pub fn code(&self, block: &BlockAddress) -> Result<(Watched, Arc<WatchedCode>), CodeUnknown> {
        let StepValues { program, begin, context, .. } = self;
        let unit = program.unit_of(block).ok_or(CodeUnknown::NoCode)?;
        let code = program.code_of(unit).ok_or(CodeUnknown::NoCode)?;
        let watched = program.watch_code(unit, begin, &|output| context.output(program, output).to_vec())?;
        Ok((watched, Arc::clone(code)))
    }

    /// Returns the text of the code of a block in the run.
    pub fn code_text(&self, block: &BlockAddress) -> Option<&str> {
        let code = self.program.code_of(self.program.unit_of(block)?)?;
        Some(&code.text)
    }
}

impl StepValues {
    /// Returns the states of a block after the step, each with its elements; of a history all values. Empty for a model
    /// block and for a block without states.
    pub fn states(&self, block: &BlockAddress) -> Vec<(StateKind, &[f64])> {
        let Some(unit) = self.program.unit_of(block).and_then(|unit| self.program.units.get(unit)) else {
            return Vec::new();
        };
        let Context { discrete, continuous, history, .. } = &self.context;
        let slots = self.program.states.iter().skip(unit.first_state as usize);
        let slots = slots.take(self.program.kernel(unit).states.len());
        let states = slots.filter_map(|slot| {
            let (elements, count) = match slot.kind {
                StateKind::Discrete => (discrete, 1),
                StateKind::Continuous => (continuous, 1),
                StateKind::History { length } => (history, length),
                // Its numbers are those of polynomials.
                StateKind::Record => return Some((slot.kind, &[][..])),
            };
            let first = slot.offset as usize;
            Some((slot.kind, elements.get(first..first + slot.width as usize * count)?))
        });
        states.collect()
    }
}

/// The inspection of a step, in progress.
pub(super) struct StepRequest {
    pub run: RunId,
    pub step: u64,
    /// The context that has been reached so far.
    pub context: Context,
}

/// Steps that are computed again for samples that were not watched.
pub(super) struct Backfill {
    pub run: RunId,
    pub context: Context,
    /// The first step after the requested ones.
    pub until: u64,
    pub signals: Vec<SignalKey>,
    pub samples: Samples,
}

/// The reference engine for a program, prepared when it is first needed.
#[derive(Default)]
pub(super) struct Oracle {
    execute: Option<Box<dyn Execute>>,
}

impl Oracle {
    /// Makes the next step; nothing happens if it is cancelled through the samples.
    ///
    /// # Errors
    /// If the step cannot be completed.
    pub fn step(
        &mut self,
        program: &Arc<Program>,
        context: &mut Context,
        samples: &mut Samples,
    ) -> Result<(), RunError> {
        if self.execute.is_none() {
            self.execute = Engines::reference().prepare(program).ok();
        }
        match &mut self.execute {
            Some(execute) => execute.run(context, 1, samples),
            None => Err(RunError {
                step: context.step,
                time: context.time(program),
                problem: "the reference engine cannot run this".to_owned(),
                block: None,
                kind: RunErrorKind::Step,
            }),
        }
    }
}
