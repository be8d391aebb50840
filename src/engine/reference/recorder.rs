//! Records the executions of a step: which block, when, for what reason, and with which values.

use std::collections::VecDeque;

use super::membership::Reader;
use crate::engine::{Program, SubsystemId, UnitId, UnitMap};

/// The record of a step, pass by pass.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    pub passes: Vec<RecordedPass>,
    depth: Depth,
    /// For each unit the inputs whose arrival has queued it, in order.
    causes: UnitMap<VecDeque<u32>>,
    /// For each input whether it was set in the major step.
    pub is_set: Vec<bool>,
    /// For each unit the number of its executions in all passes.
    pub counts: UnitMap<u64>,
    /// The number of passes.
    pub pass_count: usize,
}

/// How much is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// The number of executions of each unit.
    #[default]
    Counts,
    /// Each execution, with the values of inputs and outputs.
    Ports,
    /// The same, with all registers.
    Registers,
}

/// One pass over all blocks: the first is the major step, the others are minor steps.
#[derive(Clone, Debug, Default)]
pub struct RecordedPass {
    pub stage: usize,
    pub runs: Vec<ExecutionRecord>,
    /// For each execution the elements of its inputs, of its outputs, and of its registers if these are recorded.
    pub elements: Vec<f64>,
    /// The values of all outputs at the end.
    pub values: Vec<f64>,
    /// The rates of the continuous states.
    pub rates: Vec<f64>,
    /// The conditional or iterated subsystems that ran, once for each run.
    pub entered: Vec<SubsystemId>,
}

/// An execution of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionRecord {
    pub unit: UnitId,
    pub part: RunPart,
    /// The number of the iteration, or of the run of its subsystem.
    pub iteration: u64,
    /// The input whose arrival completed it, by its index among all inputs.
    pub completed_by: Option<u32>,
    /// The index of its first element.
    pub elements: usize,
}

/// The part of a block that an execution runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPart {
    /// The outputs that need no input, at the beginning of the step.
    Publish,
    /// The rest.
    Execute,
}

impl ExecutionRecord {
    pub fn new(unit: UnitId, part: RunPart, iteration: u64) -> ExecutionRecord {
        ExecutionRecord { unit, part, iteration, completed_by: None, elements: 0 }
    }

    pub fn is_begin(&self) -> bool {
        self.part == RunPart::Publish
    }
}

impl Recorder {
    pub fn new(program: &Program, depth: Depth) -> Recorder {
        let (causes, counts) = (program.by_unit(VecDeque::new()), program.by_unit(0));
        Recorder { depth, causes, counts, ..Recorder::default() }
    }

    pub fn begin(&mut self, stage: usize) {
        self.pass_count += 1;
        if self.depth == Depth::Counts {
            return;
        }
        self.causes.values_mut().for_each(VecDeque::clear);
        // Of the passes of a solver only those with non-finite rates are kept.
        if self.passes.len() > 1
            && self.passes.last().is_some_and(|pass| pass.rates.iter().all(|rate| rate.is_finite()))
        {
            self.passes.pop();
        }
        self.passes.push(RecordedPass { stage, ..RecordedPass::default() });
    }

    pub fn end(&mut self, values: &[f64], is_set: &[bool], rates: &[f64]) {
        let Some(pass) = self.passes.last_mut() else { return };
        pass.values.extend_from_slice(values);
        pass.rates.extend_from_slice(rates);
        if pass.stage == 0 {
            self.is_set = is_set.to_vec();
        }
    }

    pub fn enter(&mut self, subsystem: Option<SubsystemId>) {
        if let (Some(pass), Some(subsystem)) = (self.passes.last_mut(), subsystem) {
            pass.entered.push(subsystem);
        }
    }

    /// Records which readers of an output were queued when it was set.
    pub fn queued<'a>(&mut self, readers: &[Reader], queued: impl DoubleEndedIterator<Item = &'a UnitId>) {
        if self.depth == Depth::Counts {
            return;
        }
        // In reverse order: of several inputs of a block the last one completes it.
        let mut readers = readers.iter().rev();
        let causes: Vec<&Reader> =
            queued.rev().filter_map(|unit| readers.find(|reader| reader.unit == *unit)).collect();
        causes.into_iter().rev().for_each(|reader| self.causes[reader.unit].push_back(reader.input));
    }

    pub fn executed(&mut self, program: &Program, run: ExecutionRecord, values: &[f64], scratch: &[f64]) {
        self.counts[run.unit] += u64::from(!run.is_begin());
        let Some(pass) = self.passes.last_mut() else { return };
        let unit = &program.units[run.unit];
        let kernel = program.kernel(unit);
        // A further iteration has no further input.
        let cause = if run.is_begin() { None } else { self.causes[run.unit].pop_front() };
        pass.runs.push(ExecutionRecord { completed_by: cause, elements: pass.elements.len(), ..run });
        for (&source, &width) in program.sources_of(unit).iter().zip(&kernel.inputs) {
            match source {
                Some(source) => pass.elements.extend_from_slice(&values[program.outputs[source].elements()]),
                None => pass.elements.extend(std::iter::repeat_n(crate::engine::UNSET, width)),
            }
        }
        for output in program.outputs_of(unit) {
            pass.elements.extend_from_slice(&values[program.outputs[output].elements()]);
        }
        if self.depth == Depth::Registers {
            pass.elements.extend_from_slice(&scratch[..kernel.scratch]);
        }
    }
}

impl RecordedPass {
    /// Returns the elements of the inputs of an execution, those of its outputs, and its registers if these are
    /// recorded.
    pub fn values_of(&self, program: &Program, run: &ExecutionRecord) -> (&[f64], &[f64], &[f64]) {
        let kernel = program.kernel(&program.units[run.unit]);
        let outputs: usize = kernel.outputs.iter().map(|made| made.width).sum();
        let inputs: usize = self.input_widths(program, run).sum();
        let all = &self.elements[run.elements..];
        let (inputs, rest) = all.split_at(inputs);
        let (outputs, rest) = rest.split_at(outputs);
        (inputs, outputs, rest.get(..kernel.scratch).unwrap_or_default())
    }

    /// Returns the number of elements of each input of an execution.
    pub fn input_widths<'a>(&self, program: &'a Program, run: &ExecutionRecord) -> impl Iterator<Item = usize> + 'a {
        let unit = &program.units[run.unit];
        let sources = program.sources_of(unit).iter().zip(&program.kernel(unit).inputs);
        sources.map(|(source, &width)| source.map_or(width, |source| program.outputs[source].width as usize))
    }
}
