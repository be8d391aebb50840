//! Traces one step: it is repeated by the reference engine and recorded.
//!
//! Tracing never slows a run: the step is repeated from the context at its start, which gives the same bits.
//! [`StepTrace`] lists the block executions in order, [`Chain`] follows a non-finite value to its origin, [`Profile`]
//! measures the cost of blocks.

mod forensics;
mod profile;
mod reasons;
mod registers;

use std::sync::Arc;

pub use self::forensics::{Chain, ChainLink, FaultSite, LinkInput};
pub use self::profile::{BlockCost, Profile};
pub use self::reasons::{Idle, IdleReason};
use super::reference::{Depth, ExecutionRecord, RecordedPass, Recorder, TracedQueue};
use super::{Context, Program, RunError};
use crate::block::{Rate, SampleTime};
use crate::model::BlockAddress;

/// The trace of a step: the block executions of the major step.
#[derive(Debug)]
pub struct StepTrace {
    program: Arc<Program>,
    /// The number of the step.
    pub step: u64,
    /// Seconds at the step's begin.
    pub time: f64,
    pass: RecordedPass,
    executions: Vec<ExecutionRecord>,
    /// The blocks that did not run, in the order of the program.
    pub idle: Vec<Idle>,
    /// The number of minor steps that the solver made.
    pub minor_passes: usize,
    /// Why the step could not be completed, if it could not.
    pub failure: Option<RunError>,
}

/// An execution of a block, or of its begin part.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockExecution<'a> {
    /// The path of model blocks to the block, and the block.
    pub block: BlockAddress,
    pub cause: Cause<'a>,
    /// The number of this execution of the block in the step, from 0.
    pub run: usize,
    /// Names and elements of the inputs that were set; empty for the part at the beginning of the step.
    pub inputs: Vec<(&'a str, &'a [f64])>,
    /// Names and elements of the outputs that this execution has set.
    pub outputs: Vec<(&'a str, &'a [f64])>,
    /// The sample time of the block if it does not act in this step and holds its outputs.
    pub holds: Option<SampleTime>,
}

/// The reason why a block ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause<'a> {
    /// At the beginning of the step: these outputs have no direct feedthrough.
    StepStart,
    /// The block has no inputs.
    Source,
    /// This input was the last to arrive, or arrived once more.
    Input(&'a str),
    /// The block sets its outputs several times, and the queue was empty.
    Iteration,
    /// The conditional or iterated subsystem around it began, and all its inputs were set.
    Subsystem,
}

impl StepTrace {
    /// Repeats the next step of the context and records it.
    pub fn new(program: &Arc<Program>, context: &Context) -> StepTrace {
        let mut after = context.clone();
        let mut traced = TracedQueue::new(program, Recorder::new(program, Depth::Ports));
        let failure = traced.step(&mut after).map(|fault| fault.error(program, context));
        let recorder = traced.into_recorder();
        let idle = reasons::idle(program, &recorder);
        let minor_passes = recorder.pass_count.saturating_sub(1);
        let pass = recorder.passes.into_iter().next().unwrap_or_default();
        let is_seen = |run: &&ExecutionRecord| program.is_seen(&program.units[run.unit]);
        let executions = pass.runs.iter().filter(is_seen).copied().collect();
        StepTrace {
            program: Arc::clone(program),
            step: context.step,
            time: context.time(program),
            pass,
            executions,
            idle,
            minor_passes,
            failure,
        }
    }

    /// Returns the number of executions of blocks in the diagram; of a for-each model only those of the first
    /// iteration.
    pub fn len(&self) -> usize {
        self.executions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.executions.is_empty()
    }

    /// Returns the block of an execution; cheaper than [`StepTrace::execution`].
    pub fn block(&self, number: usize) -> Option<BlockAddress> {
        self.executions.get(number).map(|run| self.program.block_of(run.unit))
    }

    /// Returns an execution, by its number in the order of the step.
    pub fn execution(&self, number: usize) -> Option<BlockExecution<'_>> {
        let run = self.executions.get(number)?;
        let program = &*self.program;
        let unit = &program.units[run.unit];
        let (inputs, outputs, _) = self.pass.values_of(program, run);
        let kernel = program.kernel(unit);
        let input_name = |input: usize| program.input_name(run.unit, input);
        let is_set = |elements: &[f64]| !elements.iter().any(|element| super::is_unset(*element));
        let widths: Vec<usize> = self.pass.input_widths(program, run).collect();
        // The begin part reads no inputs.
        let inputs = cut(inputs, widths).enumerate().filter(|(_, elements)| !run.is_begin() && is_set(elements));
        let inputs = inputs.map(|(input, elements)| (input_name(input), elements)).collect();
        let has_inputs = !kernel.inputs.is_empty();
        let made = program
            .outputs_of(unit)
            .zip(&kernel.outputs)
            .zip(cut(outputs, kernel.outputs.iter().map(|made| made.width)));
        let outputs = made
            .filter(|((_, made), _)| (has_inputs && made.needs.is_empty()) == run.is_begin())
            .map(|((output, _), elements)| (program.output_name(run.unit, output), elements))
            .collect();
        let cause = match run.completed_by {
            _ if run.is_begin() => Cause::StepStart,
            Some(input) => Cause::Input(input_name((input - unit.first_input) as usize)),
            None if run.iteration > 0 && kernel.iterations.is_some() => Cause::Iteration,
            None if unit.subsystem.is_some() => Cause::Subsystem,
            None => Cause::Source,
        };
        let before = self.executions[..number].iter();
        let run_number = before.filter(|other| other.unit == run.unit && other.part == run.part).count();
        let holds =
            self.program.rates.get(run.unit).filter(|rate| kernel.rate != Rate::Unsampled && !rate.is_hit(self.step));
        Some(BlockExecution { block: program.block_of(run.unit), cause, run: run_number, inputs, outputs, holds })
    }
}

/// Cuts consecutive elements into slices of these widths.
fn cut(mut elements: &[f64], widths: impl IntoIterator<Item = usize>) -> impl Iterator<Item = &[f64]> {
    widths.into_iter().map(move |width| {
        let (first, rest) = elements.split_at(width.min(elements.len()));
        elements = rest;
        first
    })
}
