//! Translates a program to its step code: combines equal units, orders them, and generates their state updates.

pub(super) mod batch;
pub(super) mod branch;
pub(super) mod minor_steps;
pub(super) mod repeat;
pub(super) mod rows;
pub(super) mod space;

use std::collections::HashMap;
use std::sync::Arc;

use self::batch::{Batch, Out, Value, run, source};
use self::branch::trace;
use self::minor_steps::{HeldResults, StateRate, drive, integrate, list_rates, with_idle};
use self::repeat::IterationCells;
use self::rows::{classes, is_regular};
use self::space::{NONE, Space, SpaceMark, UpdateRate, is_scalar, kernel_units, nexts};
use super::owners::Owners;
use super::{Binding, Bindings, Branch, Driven, Instruction, Opcode, Operand, StepCode};
use crate::block::{Clock, Kernel, Op, Update};
use crate::engine::compile::repeats::{RepeatedRegion, Repeats};
use crate::engine::program::assertion::ReportRef;
use crate::engine::program::schedule::{Schedule, is_beside};
use crate::engine::{EntityRef, KernelMap, OutputMap, Program, SubsystemId, Unit, UnitId, UnitMap};

/// Fewer equal units than this are generated one by one.
pub(in crate::engine::step_code) const MIN_BATCH: usize = 8;
/// Rows of at least this average length are kept separate.
const LONG_ROW: usize = 16;
/// If packs were shorter than this on average, their inputs are gathered instead.
const SHORT_PACK: usize = 4;

impl StepCode {
    pub fn new(program: &Program) -> StepCode {
        StepCode::write(program, None, Purpose::Execution, None)
    }

    /// The same, with the owner of each cell.
    pub fn with_owners(program: &Program) -> StepCode {
        StepCode::write(program, Some(Owners::default()), Purpose::Execution, None)
    }

    /// The same, with no instruction for units of several locations; `locations` has the location of each unit.
    #[cfg(feature = "pool")]
    pub fn by_locations(program: &Program, locations: &UnitMap<u32>) -> StepCode {
        StepCode::write(program, Some(Owners::default()), Purpose::Execution, Some(locations))
    }

    /// The same, with the initial values of all states as instructions, and with one list that computes the rates for
    /// every solver, not a copy of it for each stage. No engine executes it.
    pub fn for_export(program: &Program) -> StepCode {
        StepCode::write(program, Some(Owners::default()), Purpose::Export, None)
    }

    fn write(
        program: &Program,
        owners: Option<Owners>,
        purpose: Purpose,
        locations: Option<&UnitMap<u32>>,
    ) -> StepCode {
        let mut schedule = Schedule::new(program);
        // A program with other repeats has been declined.
        let repeats = Repeats::find(program, &schedule).unwrap_or_default();
        let is_repeated = repeats.members(program);
        let classes = classes(program, &mut schedule, locations);
        let kernel_units = kernel_units(program, &schedule);
        let mut space = Space::new(program, &kernel_units);
        let outputs = vec![NONE; program.outputs.len()].into();
        let code = StepCode { delta: program.delta, outputs, owners, ..StepCode::default() };
        let nexts = nexts(program, &kernel_units, &mut space);
        let mut lower = Lower {
            program,
            space,
            code,
            update_rates: vec![UpdateRate::Constant; program.outputs.len()].into(),
            helds: HashMap::new(),
            nexts,
            groups: UnitGroups::new(program, &schedule, &kernel_units, locations),
            schedule,
            classes,
            within: SubsystemContext::default(),
            ends: Epilogue::default(),
            branches: Vec::new(),
            reported: HashMap::new(),
            repeats: repeats.regions,
            is_repeated,
            iteration_cells: HashMap::new(),
            purpose,
        };
        lower.clock();
        lower.place_reports(&kernel_units);
        lower.begin(None);
        lower.run(None);
        if purpose == Purpose::Export {
            lower.initial_values();
        }
        let mut code = lower.finish();
        // What runs elsewhere has no values here.
        if purpose == Purpose::Execution && locations.is_none() {
            code.differentiate_rates(program);
        }
        code
    }
}

/// The purpose of step code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::step_code) enum Purpose {
    Execution,
    Export,
}

pub(in crate::engine::step_code) struct Lower<'a> {
    pub program: &'a Program,
    pub space: Space,
    pub code: StepCode,
    pub update_rates: OutputMap<UpdateRate>,
    helds: HashMap<u32, u32>,
    pub(in crate::engine::step_code) nexts: HashMap<u32, u32>,
    schedule: Schedule,
    /// For each unit its row.
    classes: UnitMap<u32>,
    groups: UnitGroups,
    pub within: SubsystemContext,
    pub ends: Epilogue,
    pub branches: Vec<Branch>,
    /// The cells of assertion reports.
    pub reported: HashMap<ReportRef, u32>,
    /// The regions that run again because of a block that sets its outputs several times, and for each unit whether it
    /// belongs to one.
    repeats: Vec<RepeatedRegion>,
    pub(in crate::engine::step_code) is_repeated: UnitMap<bool>,
    /// For each such block its cells.
    pub iteration_cells: HashMap<UnitId, IterationCells>,
    purpose: Purpose,
}

/// The instructions after the major step, or after a run of an iterated subsystem.
#[derive(Default)]
pub(in crate::engine::step_code) struct Epilogue {
    pub jumps: Vec<Instruction>,
    pub rates: Vec<StateRate>,
    pub commits: Vec<Instruction>,
    pub limits: Vec<Instruction>,
    pub pushes: Vec<Instruction>,
}

/// The conditional or iterated subsystem that is being generated.
#[derive(Clone, Copy)]
pub(in crate::engine::step_code) struct SubsystemContext {
    pub subsystem: Option<SubsystemId>,
    /// Whether it does not run in each step.
    pub is_conditional: bool,
    /// The maximum update rate of its results.
    pub most: UpdateRate,
    /// The cell with the number of the run.
    pub iteration: Option<u32>,
    /// The cell of [`crate::block::Clock::Runs`].
    pub runs: Option<u32>,
    /// The cells that it allocates are behind this mark.
    pub mark: SpaceMark,
}

impl Default for SubsystemContext {
    fn default() -> SubsystemContext {
        SubsystemContext {
            subsystem: None,
            is_conditional: false,
            most: UpdateRate::MinorStep,
            iteration: None,
            runs: None,
            mark: SpaceMark::default(),
        }
    }
}

/// The units by subsystem, those outside of all subsystems first.
struct UnitGroups {
    /// The units that run, in their order.
    order: Vec<Vec<UnitId>>,
    /// The units with a begin part, equal ones together.
    begin: Vec<Vec<Vec<UnitId>>>,
    /// For each enable unit its subsystem.
    enables: HashMap<UnitId, SubsystemId>,
}

impl UnitGroups {
    fn new(
        program: &Program,
        schedule: &Schedule,
        kernel_units: &KernelMap<Vec<UnitId>>,
        locations: Option<&UnitMap<u32>>,
    ) -> UnitGroups {
        let subsystem = |unit: &UnitId| program.units[*unit].subsystem;
        let location = |unit: &UnitId| locations.map(|locations| locations[*unit]);
        let index = |unit: &UnitId| subsystem(unit).map_or(0, |subsystem| subsystem.index() + 1);
        let mut order = vec![Vec::new(); program.subsystems.len() + 1];
        for units in schedule.order.chunk_by(|a, b| subsystem(a) == subsystem(b)) {
            order[index(&units[0])].extend_from_slice(units);
        }
        let mut begin = vec![Vec::new(); program.subsystems.len() + 1];
        for (kernel, units) in program.kernels.values().zip(kernel_units.values()) {
            if !kernel.inputs.is_empty() && !kernel.begin.is_empty() {
                let groups = units.chunk_by(|a, b| subsystem(a) == subsystem(b) && location(a) == location(b));
                groups.for_each(|units| begin[index(&units[0])].push(units.to_vec()));
            }
        }
        let enables = program.subsystems.iter().map(|(number, subsystem)| (subsystem.enable_unit, number));
        UnitGroups { order, begin, enables: enables.collect() }
    }
}

impl<'a> Lower<'a> {
    fn clock(&mut self) {
        let ins = |opcode, dst| Instruction { opcode, elements: 1, dst, args: [Operand::Broadcast(0); 3] };
        self.code.step.push(ins(Opcode::Step, self.space.step));
        self.code.step.push(ins(Opcode::StepTime, self.space.step_time));
        self.code.step.push(ins(Opcode::StageTime(0.0), self.space.time));
        for op in self.program.kernels.values().flat_map(|kernel| &kernel.ops) {
            let (clock, opcode) = match *op {
                Op::Clock(clock @ Clock::Hit(sample)) => (clock, Opcode::Hit(sample)),
                Op::Clock(clock @ Clock::Count(sample)) => (clock, Opcode::Count(sample)),
                _ => continue,
            };
            if !self.space.clocks.contains_key(&clock) {
                let cell = self.space.take(UpdateRate::MajorStep, 1);
                self.space.clocks.insert(clock, cell);
                self.code.step.push(ins(opcode, cell));
            }
        }
    }

    /// Generates the outputs that are published before any unit of a subsystem runs.
    pub(in crate::engine::step_code) fn begin(&mut self, subsystem: Option<SubsystemId>) {
        let subsystem_of = |state: u32| {
            let units = self.program.units.as_values_slice();
            units[units.partition_point(|unit| unit.first_state <= state) - 1].subsystem
        };
        // Avoids a search of all states for each of many subsystems.
        let mut held: Vec<(u32, u32)> = match self.nexts.is_empty() {
            true => Vec::new(),
            false => self.nexts.iter().map(|(&state, &next)| (state, next)).collect(),
        };
        // A driven solver reads the next values of all states.
        let sees_all = subsystem.is_none() && self.program.solver.tableau().is_none();
        held.retain(|(state, _)| sees_all || subsystem_of(*state) == subsystem);
        held.sort_unstable();
        for (state, next) in held {
            let (cells, width) = (self.space.states[state as usize], self.program.states[state as usize].width);
            self.code.step.push(copy(next, run(cells, width), width));
        }
        let index = subsystem.map_or(0, |subsystem| subsystem.index() + 1);
        for units in std::mem::take(&mut self.groups.begin[index]) {
            let kernel = self.program.kernel(&self.program.units[units[0]]);
            let pack = if is_scalar(kernel) && units.len() >= MIN_BATCH { units.len() } else { 1 };
            for units in units.chunks(pack) {
                let batch = self.write(kernel, units, &kernel.begin);
                self.publish(&batch, |output| kernel.outputs[output].needs.is_empty());
            }
        }
    }

    pub(in crate::engine::step_code) fn run(&mut self, subsystem: Option<SubsystemId>) {
        let mut order = std::mem::take(&mut self.groups.order[subsystem.map_or(0, |subsystem| subsystem.index() + 1)]);
        order.retain(|unit| !self.is_repeated[*unit]);
        self.run_units(&order);
        if subsystem.is_none() {
            std::mem::take(&mut self.repeats).iter().for_each(|region| self.repeated(region));
        }
    }

    /// Generates the instructions of units that run.
    pub(in crate::engine::step_code) fn run_units(&mut self, order: &[UnitId]) {
        let program = self.program;
        let kernel_of = |unit: UnitId| program.units[unit].kernel;
        let level = |unit: &UnitId| self.schedule.levels[*unit];
        let class = |unit: &UnitId| self.classes[*unit];
        let together =
            |a: &UnitId, b: &UnitId| level(a) == level(b) && kernel_of(*a) == kernel_of(*b) && class(a) == class(b);
        let pieces: Vec<&[UnitId]> = order.chunk_by(together).collect();
        for units in pieces {
            let kernel = program.kernel(&program.units[units[0]]);
            if kernel.iterations.is_some() {
                units.iter().for_each(|&unit| self.iterations(unit));
            } else if kernel.is_pass_through() {
                units.iter().for_each(|&unit| self.wire(unit));
            } else if is_scalar(kernel) && units.len() >= MIN_BATCH {
                self.rows(units).into_iter().for_each(|units| self.packs(kernel, units));
            } else {
                units.chunks(1).for_each(|unit| self.run_batch(kernel, unit));
            }
            for unit in units {
                if let Some(&subsystem) = self.groups.enables.get(unit) {
                    self.subsystem(subsystem);
                }
            }
        }
        let blocks = order.iter().filter(|unit| !program.units[**unit].is_hidden).count() as u64;
        self.code.executed += blocks;
    }

    fn wire(&mut self, unit: UnitId) {
        self.own(unit);
        if let Some(from) = source(self.program, unit, 0) {
            let output = self.program.units[unit].first_output;
            let (at, update_rate, width) =
                (self.code.outputs[from], self.update_rates[from], self.program.outputs[from].width);
            let value = self.owned(Value { arg: run(at, width), update_rate }, width);
            self.code.outputs[output] = value.arg.cell(&[], 0);
            self.update_rates[output] = value.update_rate;
        }
    }

    /// Returns the value in cells that change only when the subsystem runs; other cells may change while it is idle.
    fn owned(&mut self, value: Value, elements: u32) -> Value {
        let is_own = |cell| Space::is_behind(cell, self.within.mark) && value.update_rate != UpdateRate::Constant;
        let mut cells = (0..elements).map(|element| value.arg.cell(&self.code.tables, element));
        if !self.within.is_conditional || cells.all(is_own) { value } else { self.copied(value, elements) }
    }

    fn copied(&mut self, value: Value, elements: u32) -> Value {
        let update_rate = value.update_rate.max(UpdateRate::MajorStep).min(self.within.most);
        let cells = self.space.take(update_rate, elements);
        self.code.step.push(copy(cells, value.arg, elements));
        Value { arg: run(cells, elements), update_rate }
    }

    /// Divides units into rows with one unit for each instance of a model, if the rows are long: then all units of an
    /// instance are the same element of every row, and one loop can process them.
    fn rows<'b>(&self, units: &'b [UnitId]) -> Vec<&'b [UnitId]> {
        let unit = |number: &UnitId| &self.program.units[*number];
        let rows: Vec<&[UnitId]> = units.chunk_by(|a, b| is_beside(self.program, unit(a), unit(b))).collect();
        if rows.len() * LONG_ROW <= units.len() { rows } else { vec![units] }
    }

    /// Generates equal units in packs whose inputs are adjacent, or equal for all.
    fn packs(&mut self, kernel: &Kernel, units: &[UnitId]) {
        let cell = |unit: UnitId, input: usize| {
            source(self.program, unit, input).map_or(0, |from| i64::from(self.code.outputs[from]))
        };
        let mut pieces = Vec::new();
        let (mut first, mut strides) = (0, None::<Vec<i64>>);
        for next in 1..units.len() {
            let steps = (0..kernel.inputs.len()).map(|input| cell(units[next], input) - cell(units[next - 1], input));
            let steps: Vec<i64> = steps.collect();
            let is_even = steps.iter().all(|step| *step == 0 || *step == 1);
            if is_even && strides.as_ref().is_none_or(|known| *known == steps) {
                strides = Some(steps);
            } else {
                pieces.push(first..next);
                (first, strides) = (next, None);
            }
        }
        pieces.push(first..units.len());
        let is_short = pieces.len() * SHORT_PACK > units.len();
        let is_regular = || (0..kernel.inputs.len()).all(|input| is_regular(units, |unit| cell(unit, input)));
        if units.len() >= MIN_BATCH && (is_short || pieces.len() > 1 && is_regular()) {
            return self.run_batch(kernel, units);
        }
        for piece in pieces {
            let pack = if piece.len() >= MIN_BATCH { piece.len() } else { 1 };
            units[piece].chunks(pack).for_each(|units| self.run_batch(kernel, units));
        }
    }

    pub(in crate::engine::step_code) fn write<'b>(
        &mut self,
        kernel: &'b Kernel,
        units: &'b [UnitId],
        list: &[u32],
    ) -> Batch<'b> {
        self.own(units[0]);
        let mut batch = Batch::new(kernel, units);
        let mut out = Out {
            program: self.program,
            space: &mut self.space,
            code: &mut self.code,
            update_rates: &mut self.update_rates,
            helds: &mut self.helds,
            nexts: &self.nexts,
            iteration: self.within.iteration,
            runs: self.within.runs,
            most: self.within.most,
        };
        batch.write(list, &mut out);
        batch
    }

    /// Cells that are allocated from here on belong to the unit.
    fn own(&mut self, unit: impl Into<Option<UnitId>>) {
        if let Some(owners) = &mut self.code.owners {
            owners.begin(self.space.mark(), unit.into());
        }
    }

    fn publish(&mut self, batch: &Batch, is_due: impl Fn(usize) -> bool) {
        for (output, made) in batch.kernel.outputs.iter().enumerate().filter(|(output, _)| is_due(*output)) {
            let value = batch.value(made.reg);
            let elements = made.width as u32 * batch.units.len() as u32;
            let is_spread = made.width > 1 && matches!(value.arg, Operand::Broadcast(_));
            let is_exit = made.idle.is_some();
            // An enable condition is evaluated once in a step.
            let is_deciding =
                value.update_rate == UpdateRate::MinorStep && self.groups.enables.contains_key(&batch.units[0]);
            let value = match () {
                _ if is_deciding => {
                    let most = std::mem::replace(&mut self.within.most, UpdateRate::MajorStep);
                    let decided = self.copied(value, elements);
                    self.within.most = most;
                    decided
                }
                _ if is_spread || is_exit => self.copied(value, elements),
                _ => self.owned(value, elements),
            };
            for (element, &unit) in batch.units.iter().enumerate() {
                let number = self.program.units[unit].first_output + output;
                let first = element as u32 * made.width as u32;
                self.code.outputs[number] = value.arg.cell(&self.code.tables, first);
                self.update_rates[number] = value.update_rate;
            }
        }
    }

    pub(in crate::engine::step_code) fn run_batch(&mut self, kernel: &Kernel, units: &[UnitId]) {
        let batch = self.write(kernel, units, &kernel.run);
        self.publish(&batch, |output| kernel.inputs.is_empty() || !kernel.outputs[output].needs.is_empty());
        for update in &kernel.updates {
            self.update(&batch, update);
        }
        for (report, number) in kernel.reports.iter().zip(0..) {
            self.report(units[0], number, batch.value(report.reg).arg, units.len() as u32);
        }
    }

    fn update(&mut self, batch: &Batch, update: &Update) {
        let state = self.program.units[batch.units[0]].first_state as usize + update.state();
        let elements = match batch.units {
            [_] => self.program.states[state].width,
            units => units.len() as u32,
        };
        let cells = self.space.states[state];
        match *update {
            Update::Derivative { value, .. } => {
                let value = batch.value(value);
                let first = self.kept(value, elements);
                self.ends.rates.push(StateRate { state: cells, elements, value, first });
            }
            Update::Next { value, .. } => {
                let value = batch.value(value);
                let from = match self.nexts.get(&(state as u32)) {
                    Some(&next) => {
                        self.code.step.push(copy(next, value.arg, elements));
                        run(next, elements)
                    }
                    None => self.kept(value, elements),
                };
                self.ends.commits.push(copy(cells, from, elements));
            }
            Update::Jump { on, value, .. } => {
                let [on, value] = [on, value].map(|reg| self.kept(batch.value(reg), elements));
                self.ends.jumps.push(Instruction {
                    opcode: Opcode::Select,
                    elements,
                    dst: cells,
                    args: [on, value, run(cells, elements)],
                });
            }
            Update::Limit { low, high, .. } => {
                let [low, high] = [low, high].map(|reg| self.kept(batch.value(reg), elements));
                self.limit(cells, elements, low, high);
            }
            // The solver does.
            Update::Record { .. } => {}
            Update::Push { history, on, value } => {
                let ring = batch.ring(history, self.program);
                let (value, on) = (self.kept(batch.value(value), elements), self.kept(batch.value(on), 1));
                self.ends.pushes.push(Instruction {
                    opcode: Opcode::Push(ring),
                    elements,
                    dst: 0,
                    args: [value, on, Operand::Broadcast(0)],
                });
            }
        }
    }

    /// Generates the limits of a state; NaN stays.
    fn limit(&mut self, cells: u32, elements: u32, low: Operand, high: Operand) {
        use crate::block::Binary::{Gt, Lt};
        let state = run(cells, elements);
        let temp = [(); 3].map(|()| self.space.take(UpdateRate::MajorStep, elements));
        let [below, above, kept] = temp.map(|at| run(at, elements));
        let ins = |opcode, dst, args| Instruction { opcode, elements, dst, args };
        self.ends.limits.extend([
            ins(Opcode::Binary(Lt), temp[0], [state, low, low]),
            ins(Opcode::Binary(Gt), temp[1], [state, high, high]),
            ins(Opcode::Select, temp[2], [above, high, state]),
            ins(Opcode::Select, cells, [below, low, kept]),
        ]);
    }

    /// Returns the value; if it is in the cells of a state, a copy, which stays when the states are updated.
    fn kept(&mut self, value: Value, elements: u32) -> Operand {
        let count = if let Operand::Broadcast(_) = value.arg { 1 } else { elements };
        if !(0..count).any(|element| self.space.is_state(value.arg.cell(&self.code.tables, element))) {
            return value.arg;
        }
        let cells = self.space.take(UpdateRate::MajorStep, count);
        self.code.step.push(copy(cells, value.arg, count));
        run(cells, count)
    }

    fn finish(mut self) -> StepCode {
        self.own(None);
        self.bind();
        if self.program.refuses_non_finite {
            self.refuse_non_finite();
        }
        let is_iterated = self.program.subsystems.values().any(|subsystem| subsystem.is_iterated);
        if is_iterated || !self.iteration_cells.is_empty() {
            self.code.step.push(Instruction {
                opcode: Opcode::LimitRuns,
                elements: 0,
                dst: 0,
                args: [Operand::Broadcast(0); 3],
            });
        }
        self.code.sampled = self.code.step.len();
        let mut ends = std::mem::take(&mut self.ends);
        self.code.step.append(&mut ends.jumps);
        let rates = with_idle(ends.rates, self.program, &mut self.space);
        let resets = self.program.reset_subsystems();
        let is_reset = |unit: &Unit| unit.subsystem.is_some_and(|subsystem| resets[subsystem]);
        let modes = Bindings(self.next_cells(|unit, state| state.is_mode() || is_reset(unit)));
        let nexts = Bindings(self.next_cells(|_, _| true));
        let switched = if self.purpose == Purpose::Export { Vec::new() } else { self.switched_commits() };
        let mut held = Bindings::default();
        for exit in self.program.held_exits() {
            let output = &self.program.outputs[exit];
            held.push(output.offset, self.code.outputs[exit], output.width);
        }
        let Lower { program, code, space, branches, helds, purpose, .. } = &mut self;
        let parts = HeldResults { branches, helds };
        match program.solver.tableau() {
            _ if rates.is_empty() && (!program.has_integrator() || *purpose == Purpose::Export) => {}
            _ if *purpose == Purpose::Export => list_rates(code, space, &rates, parts),
            Some(tableau) => integrate(tableau, code, space, &rates, parts),
            None => drive(code, space, &rates, parts, Driven { modes, nexts, held, ..Driven::default() }),
        }
        self.code.step.append(&mut ends.commits);
        self.code.step.extend(switched);
        self.code.step.append(&mut ends.limits);
        self.code.step.append(&mut ends.pushes);
        self.any_report();
        self.code.branches = Arc::new(self.branches);
        self.space.settle(&mut self.code);
        trace(&mut self.code);
        self.code
    }

    fn refuse_non_finite(&mut self) {
        let first = self.code.tables.len() as u32;
        for &Binding { cell, count, .. } in &self.code.values.0 {
            self.code.tables.extend(cell..cell + count);
        }
        let elements = self.code.tables.len() as u32 - first;
        let args = [Operand::Gather(first), Operand::Broadcast(0), Operand::Broadcast(0)];
        self.code.step.push(Instruction { opcode: Opcode::RefuseNonFinite, elements, dst: 0, args });
    }
}

pub(in crate::engine::step_code) fn copy(dst: u32, from: Operand, elements: u32) -> Instruction {
    Instruction { opcode: Opcode::Copy, elements, dst, args: [from, Operand::Broadcast(0), Operand::Broadcast(0)] }
}
