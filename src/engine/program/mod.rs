//! The compiled simulation: model blocks flattened into one list of units, every value at a fixed offset.
//!
//! | module | contents |
//! |---|---|
//! | here | [`Program`]: units, kernels, connections, offsets |
//! | [`symbols`], [`lookup`], [`selection`] | which unit, signal or parameter a name of the document is |
//! | [`context`], [`record`], [`checkpoint`] | the values of a run, the past of its signals, and both as bytes |
//! | [`execute`], [`samples`], [`writers`] | what an engine offers, and what leaves a run |
//! | [`fault`], [`assertion`] | why a step fails; what assertions report |
//! | [`remote_blocks`] | the model blocks that run in workers, and their costs |
//! | [`code`] | the code of blocks in a step |
//! | [`solver`], [`unit_rates`] | the solver by name; the sample times of units |
//! | [`schedule`] | which units run in a step, and in which order |
//! | [`ids`] | a type for each number: of a unit, an output, a subsystem, a kernel |
//! | [`graph`] | the search for loops in a directed graph |

pub(super) mod assertion;
pub(super) mod checkpoint;
pub(super) mod code;
pub(super) mod context;
pub(super) mod execute;
pub(super) mod fault;
pub(super) mod graph;
pub(super) mod ids;
pub(super) mod lookup;
pub(super) mod record;
pub(super) mod remote_blocks;
pub(super) mod samples;
pub(super) mod schedule;
pub(super) mod selection;
pub(super) mod solver;
pub(super) mod symbols;
pub(super) mod unit_rates;
pub(super) mod writers;

use std::ops::Range;
use std::sync::Arc;

use self::ids::{
    EntityRef, IterEntityRange, KernelId, KernelMap, OutputId, OutputMap, PrimaryMap, SubsystemId, SubsystemMap,
    UnitId, UnitMap, iter_entity_range,
};
use self::record::Record;
use self::remote_blocks::RemoteBlocks;
use self::solver::{Solver, Tolerances};
use self::symbols::{InstanceBlock, SymbolTable};
use self::unit_rates::UnitRates;
use crate::block::{Clock, Kernel, Op, StateKind, Update};

/// The input of all engines. It does not change during a run; the values are in a [`super::Context`].
#[derive(Clone, Debug)]
pub struct Program {
    /// Number of steps given by the file; 0: until stopped.
    pub steps: u64,
    /// Step length in seconds.
    pub delta: f64,
    pub solver: Solver,
    pub tolerances: Tolerances,
    /// Limit on block executions in a step; a step that exceeds it fails. See [`Program::MAX_EXECUTIONS`].
    pub max_executions: u64,
    /// Whether a step fails, naming the block, if an output becomes infinite or NaN.
    pub refuses_non_finite: bool,
    pub units: UnitMap<Unit>,
    pub rates: UnitRates,
    /// For each unit, whether its outputs hold their value from one sample hit to the next.
    pub held: UnitMap<bool>,
    pub kernels: KernelMap<Arc<Kernel>>,
    /// For the inputs of all units in order, the output connected to each.
    pub sources: Vec<Option<OutputId>>,
    pub outputs: PrimaryMap<OutputId, Output>,
    /// The readers of all outputs in order.
    pub readers: Vec<UnitInput>,
    pub states: Vec<StateSlot>,
    /// Initial parameter values, unit by unit.
    pub params: Vec<f64>,
    /// Conditional and iterated subsystems, each after the one that contains it.
    pub subsystems: PrimaryMap<SubsystemId, ConditionalSubsystem>,
    /// Total number of elements of all outputs.
    pub value_count: usize,
    pub discrete_count: usize,
    pub continuous_count: usize,
    pub history_count: usize,
    pub record_count: usize,
    /// Algebraic loops, each with the unit that solves it; these units are the last ones.
    pub loops: Vec<AlgebraicLoop>,
    /// The model blocks that run in workers, if there are any.
    pub remote: Option<RemoteBlocks>,
    pub(super) symbols: Arc<SymbolTable>,
    /// The files that its blocks write.
    pub(super) written_files: Vec<WrittenFile>,
}

/// An entry of the flat list: an entry, an exit or a library block of one instance of its model, or a hidden unit that
/// the compiler added for a conditional or iterated model block.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub kernel: KernelId,
    /// Offset of its inputs in `sources`.
    pub first_input: u32,
    /// Offset of its outputs in `outputs`.
    pub first_output: OutputId,
    /// Offset of its states in `states`.
    pub first_state: u32,
    /// Offset of its parameters in `params`.
    pub first_param: u32,
    /// The subsystem that it belongs to; `None`: it runs in every step.
    pub subsystem: Option<SubsystemId>,
    /// Whether the compiler added it; a hidden unit does not count as an executed block.
    pub is_hidden: bool,
    /// The block that it is; for a hidden unit, its model block.
    pub(super) origin: InstanceBlock,
}

/// Units that run together if their enable condition holds, after all inputs of the model block are set.
///
/// A run publishes the outputs that depend on states alone, then executes every unit whose inputs are set. An iterated
/// subsystem updates its states at the end of each run, others at the end of the step. After the last run, or if there
/// is none, all exits count as set. Minor steps keep the decision of the major step, except that a solver of variable step
/// decides again where it has located a change; an iterated subsystem runs in the major step only, and its exits hold
/// their values.
#[derive(Clone, Debug)]
pub struct ConditionalSubsystem {
    /// The subsystem that contains it.
    pub parent: Option<SubsystemId>,
    /// The unit that evaluates the enable condition. It belongs to the surrounding subsystem. Its first output is the
    /// number of runs; its second is nonzero if the states are reset before them.
    pub enable_unit: UnitId,
    /// Whether it may run several times in a step.
    pub is_iterated: bool,
    /// Whether it runs at edges of a signal.
    pub is_triggered: bool,
    /// The output that must be above 0 for another run, unless the number of runs is given.
    pub condition: Option<OutputId>,
    /// Limit on runs in a step; exceeding it ends the run with an error.
    pub limit: u64,
    /// Whether the states can be reset.
    pub can_reset: bool,
    /// Its own units, without those of nested subsystems.
    pub units: Vec<UnitId>,
    /// Its outputs.
    pub exits: Vec<SubsystemExit>,
}

#[derive(Clone, Copy, Debug)]
pub struct SubsystemExit {
    pub output: OutputId,
    /// Whether it is reset to its initial value in a step without a run.
    pub idle_resets: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// The unit that computes it.
    pub unit: UnitId,
    /// Offset of its elements among the values.
    pub offset: u32,
    pub width: u32,
    /// Offset of its readers in `readers`.
    pub first_reader: u32,
    pub reader_count: u32,
}

/// An input that is connected to an output.
#[derive(Clone, Copy, Debug)]
pub struct UnitInput {
    pub unit: UnitId,
    /// Its number among those of the unit.
    pub input: u32,
}

/// The offset and width of a state among those of its kind; for a history, the offset of its ring.
#[derive(Clone, Copy, Debug)]
pub struct StateSlot {
    pub kind: StateKind,
    pub offset: u32,
    pub width: u32,
}

/// Units that wait for each other. Some of their outputs are torn: their readers within the loop read the outputs of an
/// additional unit instead, which runs before all members and searches for the values that the torn outputs reproduce.
#[derive(Clone, Debug)]
pub struct AlgebraicLoop {
    /// The unit that publishes the torn values; its outputs correspond to `torn`, in order.
    pub unit: UnitId,
    /// The units of the loop in the order in which they run.
    pub members: Vec<UnitId>,
    /// The members' outputs that are torn.
    pub torn: Vec<OutputId>,
    /// Outputs of other units, or outputs that depend on states only, that members read.
    pub externals: Vec<OutputId>,
    /// The number of elements of all torn outputs together.
    pub width: usize,
}

/// A unit that writes a file, with its settings.
#[derive(Clone, Debug)]
pub(super) struct WrittenFile {
    pub unit: UnitId,
    /// As the block names it.
    pub path: String,
    /// A row is written every `decimation` steps.
    pub decimation: u64,
}

impl Output {
    /// The range of its elements among the values.
    pub fn elements(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.width) as usize
    }
}

impl StateSlot {
    /// The range of its elements among those of its kind; for a history, of the first slot of its ring.
    pub fn elements(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.width) as usize
    }

    /// The number of values that it occupies among those of its kind.
    pub(super) fn size(&self) -> usize {
        match self.kind {
            StateKind::Discrete | StateKind::Continuous => self.width as usize,
            // Behind the ring stands the index of the slot that is written next.
            StateKind::History { length } => self.width as usize * length + 1,
            StateKind::Record => 1,
        }
    }
}

impl Program {
    /// A step with more block executions than this is considered endless.
    pub const MAX_EXECUTIONS: u64 = 100_000_000;

    /// A program of no units.
    pub(super) fn empty(
        (solver, tolerances): (Solver, Tolerances),
        kernels: KernelMap<Arc<Kernel>>,
        symbols: Arc<SymbolTable>,
    ) -> Program {
        Program {
            steps: 0,
            delta: 0.0,
            solver,
            tolerances,
            max_executions: Program::MAX_EXECUTIONS,
            refuses_non_finite: false,
            units: PrimaryMap::new(),
            rates: UnitRates::default(),
            held: PrimaryMap::new(),
            kernels,
            sources: Vec::new(),
            outputs: PrimaryMap::new(),
            readers: Vec::new(),
            states: Vec::new(),
            params: Vec::new(),
            subsystems: PrimaryMap::new(),
            value_count: 0,
            discrete_count: 0,
            continuous_count: 0,
            history_count: 0,
            record_count: 0,
            loops: Vec::new(),
            remote: None,
            symbols,
            written_files: Vec::new(),
        }
    }

    /// Adds a unit, and gives its inputs, outputs, states and parameters the next offsets. The caller adds its sources
    /// and parameters.
    pub(super) fn add_unit(&mut self, unit: Unit) {
        let kernel = Arc::clone(&self.kernels[unit.kernel]);
        let inputs = |(_, last): (UnitId, &Unit)| last.first_input + self.kernel(last).inputs.len() as u32;
        let first_input = self.units.last().map_or(0, inputs);
        let number = self.units.push(Unit {
            first_input,
            first_output: self.outputs.next_key(),
            first_state: self.states.len() as u32,
            first_param: self.params.len() as u32,
            ..unit
        });
        for output in &kernel.outputs {
            let (offset, width) = (self.value_count as u32, output.width as u32);
            self.outputs.push(Output { unit: number, offset, width, first_reader: 0, reader_count: 0 });
            self.value_count += output.width;
        }
        for state in &kernel.states {
            let count = match state.kind {
                StateKind::Discrete => &mut self.discrete_count,
                StateKind::Continuous => &mut self.continuous_count,
                StateKind::History { .. } => &mut self.history_count,
                StateKind::Record => &mut self.record_count,
            };
            let slot = StateSlot { kind: state.kind, offset: *count as u32, width: state.width as u32 };
            *count += slot.size();
            self.states.push(slot);
        }
    }

    /// Whether every step executes the same blocks equally often: no block is conditional, iterated, or sets its
    /// outputs several times. Otherwise the number of executions in one step only approximates the others.
    pub fn has_fixed_length(&self) -> bool {
        self.subsystems.is_empty() && self.kernels.values().all(|kernel| kernel.iterations.is_none())
    }

    /// The same value for each unit.
    pub(super) fn by_unit<T: Clone>(&self, value: T) -> UnitMap<T> {
        vec![value; self.units.len()].into()
    }

    /// The same value for each subsystem.
    pub(super) fn by_subsystem<T: Clone>(&self, value: T) -> SubsystemMap<T> {
        vec![value; self.subsystems.len()].into()
    }

    pub fn kernel(&self, unit: &Unit) -> &Kernel {
        &self.kernels[unit.kernel]
    }

    /// Whether a solver that is not compiled into the step goes from step to step: it has states to integrate or signals to
    /// record.
    pub(super) fn has_integrator(&self) -> bool {
        self.continuous_count + self.record_count > 0 && self.solver.tableau().is_none()
    }

    /// Whether a step may fail.
    pub(super) fn can_fail(&self) -> bool {
        self.refuses_non_finite
            || !self.loops.is_empty()
            || self.has_integrator()
            || self.subsystems.values().any(|subsystem| subsystem.is_iterated)
            || self.kernels.values().any(|kernel| kernel.iterations.is_some() || kernel.has_calls())
    }

    /// An empty record for each signal that the solver records.
    pub(super) fn new_records(&self) -> Vec<Record> {
        let records = self.states.iter().filter(|slot| slot.kind == StateKind::Record);
        records.map(|slot| Record::new(slot.width as usize)).collect()
    }

    pub fn states_of(&self, unit: &Unit) -> &[StateSlot] {
        let first = unit.first_state as usize;
        &self.states[first..first + self.kernel(unit).states.len()]
    }

    /// The states of a loop's units, each with its number.
    pub(super) fn states_of_loop<'a>(
        &'a self,
        algebraic_loop: &'a AlgebraicLoop,
    ) -> impl Iterator<Item = (u32, &'a StateSlot)> + 'a {
        algebraic_loop.members.iter().flat_map(move |&member| {
            let unit = &self.units[member];
            let count = self.kernel(unit).states.len() as u32;
            (unit.first_state..unit.first_state + count).map(move |state| (state, &self.states[state as usize]))
        })
    }

    /// The units that write files.
    pub(crate) fn written_units(&self) -> impl Iterator<Item = UnitId> + '_ {
        self.written_files.iter().map(|file| file.unit)
    }

    pub fn outputs_of(&self, unit: &Unit) -> IterEntityRange<OutputId> {
        iter_entity_range(unit.first_output..unit.first_output + self.kernel(unit).outputs.len())
    }

    /// The outputs connected to the inputs of a unit.
    pub fn sources_of(&self, unit: &Unit) -> &[Option<OutputId>] {
        &self.sources[unit.first_input as usize..][..self.kernel(unit).inputs.len()]
    }

    /// The output connected to an input of a unit.
    pub(super) fn source(&self, unit: &Unit, input: usize) -> Option<OutputId> {
        self.sources[unit.first_input as usize + input]
    }

    /// The elements of what an input of a unit reads, among the values. A unit runs only when all its inputs are set, so
    /// each has a source.
    pub(super) fn input_elements(&self, unit: &Unit, input: usize) -> Range<usize> {
        self.outputs[self.source(unit, input).unwrap_or(OutputId::new(0))].elements()
    }

    /// A state of a unit.
    pub(super) fn state(&self, unit: &Unit, state: usize) -> &StateSlot {
        &self.states[unit.first_state as usize + state]
    }

    /// The unit that makes an output.
    pub(super) fn output_unit(&self, output: OutputId) -> UnitId {
        self.outputs[output].unit
    }

    /// The readers of an output.
    pub fn readers_of(&self, output: OutputId) -> &[UnitInput] {
        let Output { first_reader, reader_count, .. } = self.outputs[output];
        &self.readers[first_reader as usize..(first_reader + reader_count) as usize]
    }

    /// The output that holds the number of runs of the conditional subsystem whose exit `output` is; pass-through exits
    /// and entries in between are followed.
    pub(super) fn runs_behind(&self, output: OutputId) -> Option<OutputId> {
        let mut output = &self.outputs[output];
        loop {
            let unit = &self.units[output.unit];
            let kernel = self.kernel(unit);
            if kernel.is_held_exit() {
                return unit.subsystem.map(|subsystem| self.runs_of(subsystem));
            }
            if !kernel.is_pass_through() {
                return None;
            }
            output = &self.outputs[self.source(unit, 0)?];
        }
    }

    /// The output that holds the subsystem's number of runs; the next output says whether the states are reset.
    pub(super) fn runs_of(&self, subsystem: SubsystemId) -> OutputId {
        self.units[self.subsystems[subsystem].enable_unit].first_output
    }

    /// For each conditional subsystem whether a solver of variable step lets it start and end where its condition
    /// changes, between the steps too.
    pub(super) fn located_subsystems(&self) -> SubsystemMap<bool> {
        // A block that sets its outputs several times does so in the major step.
        let is_once = self.kernels.values().all(|kernel| kernel.iterations.is_none());
        let has_crossings = |unit: UnitId| !self.kernel(&self.units[unit]).crossings.is_empty();
        let can_run = |subsystem: &ConditionalSubsystem, number: SubsystemId| {
            !subsystem.is_triggered || subsystem.units.iter().all(|&unit| self.runs_between_steps(unit, number))
        };
        let found = self
            .subsystems
            .iter()
            .map(|(number, subsystem)| is_once && has_crossings(subsystem.enable_unit) && can_run(subsystem, number));
        found.collect()
    }

    /// Whether a unit of a triggered subsystem can run between the steps of the grid: it changes discrete states and
    /// outputs alone, and does not count steps.
    fn runs_between_steps(&self, unit: UnitId, subsystem: SubsystemId) -> bool {
        let kernel = self.kernel(&self.units[unit]);
        let counts = |op: &Op| matches!(op, Op::Past { .. } | Op::Clock(Clock::Step | Clock::Hit(_) | Clock::Count(_)));
        let is_next = |update: &Update| matches!(update, Update::Next { .. });
        let is_gate =
            self.subsystems.values().any(|inner| inner.parent == Some(subsystem) && inner.enable_unit == unit);
        kernel.updates.iter().all(is_next)
            && !kernel.ops.iter().any(counts)
            && kernel.reports.is_empty()
            && !is_gate
            && self.written_units().all(|written| written != unit)
    }

    /// For each subsystem whether it or one around it is located and `is_wanted`.
    fn located_around(&self, is_wanted: impl Fn(&ConditionalSubsystem) -> bool) -> SubsystemMap<bool> {
        let mut found = self.located_subsystems();
        for (number, subsystem) in self.subsystems.iter() {
            let is_around = subsystem.parent.is_some_and(|parent| found[parent]);
            found[number] = is_around || found[number] && is_wanted(subsystem);
        }
        found
    }

    /// For each subsystem whether it starts and ends between steps.
    pub(super) fn switched_subsystems(&self) -> SubsystemMap<bool> {
        self.located_around(|_| true)
    }

    /// For each subsystem whether its discrete states may change between steps.
    pub(super) fn reset_subsystems(&self) -> SubsystemMap<bool> {
        self.located_around(|subsystem| subsystem.can_reset || subsystem.is_triggered)
    }

    /// The outputs that hold their values where a solver of variable step ends their subsystem between steps.
    pub(super) fn held_exits(&self) -> impl Iterator<Item = OutputId> + '_ {
        let switched = self.switched_subsystems();
        let of_switched = self.subsystems.iter().filter(move |(number, _)| switched[*number]);
        of_switched.flat_map(|(_, subsystem)| subsystem.exits.iter().map(|exit| exit.output))
    }

    /// Whether a subsystem is another one or is contained in it, at any depth.
    pub(super) fn is_within(&self, subsystem: Option<SubsystemId>, outer: SubsystemId) -> bool {
        let parent = |subsystem: &SubsystemId| self.subsystems[*subsystem].parent;
        std::iter::successors(subsystem, parent).any(|subsystem| subsystem == outer)
    }

    /// Sets the readers of all outputs from the sources of all inputs.
    pub(super) fn index_readers(&mut self) {
        self.outputs.values_mut().for_each(|output| output.reader_count = 0);
        for source in self.sources.iter().flatten() {
            self.outputs[*source].reader_count += 1;
        }
        let mut first = 0;
        for output in self.outputs.values_mut() {
            output.first_reader = first;
            first += output.reader_count;
        }
        let mut next: OutputMap<u32> = self.outputs.values().map(|output| output.first_reader).collect();
        let mut readers = vec![UnitInput { unit: UnitId::new(0), input: 0 }; first as usize];
        for (number, unit) in &self.units {
            for (source, input) in self.sources_of(unit).iter().zip(0..) {
                let Some(source) = *source else { continue };
                let index = &mut next[source];
                readers[*index as usize] = UnitInput { unit: number, input };
                *index += 1;
            }
        }
        self.readers = readers;
    }
}
