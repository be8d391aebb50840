//! All values of one step, also of signals that nobody watched.
//!
//! The engines for speed keep only what they need; so the step is made once more by the reference engine, which leaves
//! every output in the context. The run itself is not touched.

use std::sync::Arc;

use super::super::{Context, Engines, Execute, Program, RunError, Samples};
use super::RunId;
use crate::block::StateKind;
use crate::model::{BlockId, SignalKey};

/// A step of a run with all its values.
#[derive(Clone, Debug)]
pub struct StepValues {
    pub run: RunId,
    pub step: u64,
    /// Seconds at the begin of the step.
    pub time: f64,
    pub program: Arc<Program>,
    /// As it was at the step's begin.
    pub begin: Context,
    /// As the step left it: the outputs have the values of this step, the states those of the next.
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
    /// The elements of a signal; empty where it was never set, none where there is no such signal.
    pub fn value(&self, signal: &SignalKey) -> Option<&[f64]> {
        Some(self.context.output(&self.program, self.program.output_of(signal)?))
    }
}

impl StepValues {
    /// The states of a block behind the step, each with its elements; of a history all that it holds. None where the block
    /// is a model block, or has none.
    pub fn states(&self, path: &[BlockId], block: BlockId) -> Vec<(StateKind, &[f64])> {
        let Some(unit) = self.program.unit_of(path, block).and_then(|unit| self.program.units.get(unit)) else {
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
            };
            let first = slot.offset as usize;
            Some((slot.kind, elements.get(first..first + slot.width as usize * count)?))
        });
        states.collect()
    }
}

/// A look at a step that is under way.
pub(super) struct StepRequest {
    pub run: RunId,
    pub step: u64,
    /// Where the way there has led so far.
    pub context: Context,
}

/// Steps that are made once more for samples that nobody had asked for.
pub(super) struct Backfill {
    pub run: RunId,
    pub context: Context,
    /// The first step that is not wanted any more.
    pub until: u64,
    pub signals: Vec<SignalKey>,
    pub samples: Samples,
}

/// The reference engine for a program, made ready when it is needed first.
#[derive(Default)]
pub(super) struct Oracle {
    execute: Option<Box<dyn Execute>>,
}

impl Oracle {
    /// Makes the step that comes next; none where that is cancelled by way of the samples.
    ///
    /// # Errors
    /// Where it cannot be completed.
    pub fn step(
        &mut self,
        program: &Arc<Program>,
        context: &mut Context,
        samples: &mut Samples,
    ) -> Result<(), RunError> {
        if self.execute.is_none() {
            let engine = Engines::standard().get(Engines::REFERENCE).cloned();
            self.execute = engine.and_then(|engine| engine.prepare(program).ok());
        }
        match &mut self.execute {
            Some(execute) => execute.run(context, 1, samples),
            None => Err(RunError {
                step: context.step,
                time: context.time(program),
                problem: "the reference engine cannot run this".to_owned(),
                block: None,
            }),
        }
    }
}
