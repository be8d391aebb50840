//! Generates the step loop: each group of the schedule in order.
//!
//! [`steps`] generates the loops over steps and batches, [`straight`] straight-line groups, [`lanes`] loops over
//! elements; [`lane`] has the arithmetic of both, for one SIMD lane or several; [`constants`] are read from memory.

pub(super) mod constants;
pub(super) mod lane;
pub(super) mod lanes;
mod steps;
pub(super) mod straight;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, FuncRef, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;

use self::constants::ConstantPairs;
use self::lane::{LaneValue, Lanes, first, plain};
use super::call;
use super::passes::body::{AtEnd, Body};
use super::passes::double_buffer::{DoubleBuffer, Location};
use super::passes::fission::LoopFission;
use crate::block::math::Arithmetic;
use crate::engine::step_code::schedule::fusion::{FusedGroup, FusedKind, FusionSchedule, LogTime};
use crate::engine::step_code::{CellRange, Instruction, Machine, Opcode, Operand, StepCode};
use steps::block_args;

pub(in crate::engine::native) const BYTES: i64 = 8;
/// The offset of the number of executed blocks in the machine.
const RUNS: i32 = std::mem::offset_of!(Machine, executed) as i32;

/// The number of parameters of the function: the machine, its cells, the first step, the step to end before, and the
/// log for watched values.
pub(in crate::engine::native) const PARAMS: usize = 5;

pub(in crate::engine::native) struct Emitter<'a, 'f> {
    bodies: &'a [Option<Body>],
    pub code: &'a StepCode,
    pub schedule: &'a FusionSchedule,
    watched: &'a [CellRange],
    /// The number of steps in a column of the log.
    pitch: usize,
    /// The cells whose values go to rows instead of the log, each with its row.
    rows: Option<&'a [(u32, u32)]>,
    pub b: FunctionBuilder<'f>,
    is_written: &'a [bool],
    /// Scalars in registers, by cell.
    known: HashMap<u32, LaneValue>,
    machine: Value,
    pub cells: Value,
    pub step: Value,
    /// The address of the cells plus 8 bytes for each step since the beginning of the batch.
    pub this_step: Value,
    log: Value,
    /// The states in two buffers, and the addresses of the cells plus the bytes from the states to each of the buffers.
    double_buffer: Option<&'a DoubleBuffer>,
    current: Value,
    next: Value,
    pub one_to_one: SigRef,
    pub two_to_one: SigRef,
    to_interpreter: SigRef,
    /// The block to which the code jumps when a step fails.
    failed: Block,
    /// Whether the machine must have the number of executed blocks: the interpreter reads it in iterated subsystems.
    counts_runs: bool,
    /// The functions of the schedules that are not called yet.
    functions: &'a [FuncRef],
    /// The values of the cells that the code is made for, if any, and those of them that it depends on.
    constants: Option<&'a [f64]>,
    used: &'a mut BTreeSet<u32>,
    /// As [`self::lane::LaneEmitter::keeps_constants`].
    pub keeps_constants: bool,
    /// As [`self::lane::LaneEmitter::has_flags`].
    pub has_flags: bool,
    /// The constants that are read from memory, if any are.
    pub pairs: Option<&'a mut ConstantPairs>,
}

/// Known facts about the cells.
pub(in crate::engine::native) struct Known<'a> {
    /// For each cell, whether it changes while the code runs.
    pub is_written: Vec<bool>,
    /// The values of the cells that the code is made for, if any.
    pub constants: Option<&'a [f64]>,
    /// The cells whose values the code depends on.
    pub used: BTreeSet<u32>,
    /// Whether constants are kept for the whole code: they are few.
    pub keeps_constants: bool,
    /// As [`self::lane::LaneEmitter::has_flags`].
    pub has_flags: bool,
    /// Where constants are read from memory.
    pub pairs: Option<ConstantPairs>,
}

/// Returns the functions of the schedules of a step, those of the precomputed part first.
pub(in crate::engine::native) fn functions(
    split: &LoopFission,
) -> impl Iterator<Item = (&StepCode, &FusionSchedule, &[FusedGroup])> {
    split.parts().flat_map(|(code, schedule)| {
        schedule.functions.iter().map(move |groups| (code, schedule, &schedule.groups[groups.clone()]))
    })
}

/// The number of parameters of such a function: the machine, its cells, the step, and the cells of the step in its
/// batch.
pub(in crate::engine::native) const FUNCTION_PARAMS: usize = 4;

/// Generates a function for some groups.
pub(in crate::engine::native) fn emit_function(
    (code, schedule, groups): (&StepCode, &FusionSchedule, &[FusedGroup]),
    cells_known: &mut Known,
    mut b: FunctionBuilder,
    target: TargetFrontendConfig,
) {
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let params = b.block_params(entry).to_vec();
    let [machine, cells, step, this_step] = params[..] else { panic!("the function has {FUNCTION_PARAMS} parameters") };
    let [one_to_one, two_to_one, to_interpreter] = signatures(&mut b);
    let mut emitter = Emitter {
        bodies: &[],
        code,
        schedule,
        watched: &[],
        pitch: 1,
        rows: None,
        b,
        is_written: &cells_known.is_written,
        known: HashMap::new(),
        machine,
        cells,
        step,
        this_step,
        log: cells,
        double_buffer: None,
        current: cells,
        next: cells,
        one_to_one,
        two_to_one,
        to_interpreter,
        // Its instructions cannot fail.
        failed: entry,
        counts_runs: false,
        functions: &[],
        constants: cells_known.constants,
        used: &mut cells_known.used,
        keeps_constants: cells_known.keeps_constants,
        has_flags: cells_known.has_flags,
        pairs: cells_known.pairs.as_mut(),
    };
    for group in groups {
        emitter.known.clear();
        emitter.group(group);
    }
    emitter.b.ins().return_(&[]);
    emitter.b.seal_all_blocks();
    emitter.b.finalize(target);
}

/// Returns the signatures of unary operations, binary operations and the interpreter.
fn signatures(b: &mut FunctionBuilder) -> [SigRef; 3] {
    let call_conv = b.func.signature.call_conv;
    let mut signature = |from: &[Type], to: &[Type]| {
        let mut signature = Signature::new(call_conv);
        signature.params.extend(from.iter().copied().map(AbiParam::new));
        signature.returns.extend(to.iter().copied().map(AbiParam::new));
        b.import_signature(signature)
    };
    [signature(&[F64], &[F64]), signature(&[F64, F64], &[F64]), signature(&[I64, I64, I64], &[I64])]
}

/// Generates the whole function.
pub(in crate::engine::native) fn emit(
    split: &LoopFission,
    (watched, pitch): (&[CellRange], usize),
    (cells_known, functions): (&mut Known, &[FuncRef]),
    mut b: FunctionBuilder,
    target: TargetFrontendConfig,
) {
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let params = b.block_params(entry).to_vec();
    let [machine, cells, begin, end, log] = params[..] else { panic!("the function has {PARAMS} parameters") };
    let [one_to_one, two_to_one, to_interpreter] = signatures(&mut b);
    let failed = b.create_block();
    b.append_block_param(failed, I64);
    let (code, schedule) = (&split.step, &split.schedule);
    let carried = &split.schedule.carried;
    let mut emitter = Emitter {
        bodies: &split.bodies,
        code,
        schedule,
        watched,
        pitch,
        rows: None,
        b,
        is_written: &cells_known.is_written,
        known: HashMap::new(),
        machine,
        cells,
        step: begin,
        this_step: cells,
        log,
        double_buffer: Some(&split.double_buffer).filter(|double_buffer| !double_buffer.is_empty()),
        current: cells,
        next: cells,
        one_to_one,
        two_to_one,
        to_interpreter,
        failed,
        counts_runs: split.is_step
            && split.step.branches.iter().any(|branch| branch.repeat.is_some() || !branch.again.is_empty()),
        functions,
        constants: cells_known.constants,
        used: &mut cells_known.used,
        keeps_constants: cells_known.keeps_constants,
        has_flags: cells_known.has_flags,
        pairs: cells_known.pairs.as_mut(),
    };
    for &(cell, offset) in &split.delays.states {
        let value = emitter.load(cell);
        emitter.store(offset, value);
    }
    let at_ends = || split.bodies.iter().flatten().filter_map(|body| body.at_end.as_ref());
    let zero = emitter.b.ins().f64const(0.0);
    at_ends().for_each(|at_end| emitter.store(at_end.has_run, zero));
    let initial = emitter.initial(&split.schedule);
    // An outer loop over batches of precomputed steps, and an inner loop over the steps of a batch.
    let (round, head, tail, done) = [(); 4].map(|()| emitter.b.create_block()).into();
    emitter.jump(round, begin, log, &initial);
    let from_round = emitter.enter(round, &split.schedule);
    let first_of_round = emitter.step;
    let limit = emitter.round_end(split, end);
    split.precompute.iter().for_each(|part| emitter.precompute(part, limit));
    let (step, log) = (emitter.step, emitter.log);
    emitter.jump(head, step, log, &from_round);
    let from_head = emitter.enter(head, &split.schedule);
    emitter.set_this_step(first_of_round);
    emitter.set_buffers(begin);
    emitter.know(&split.schedule, &from_head);
    if emitter.counts_runs {
        let runs = emitter.b.ins().iconst(I64, split.step.executed as i64);
        emitter.set_runs(runs);
    }
    emitter.groups(&split.schedule);
    emitter.close(head, tail, limit);
    let last = emitter.enter(tail, &split.schedule);
    emitter.move_on(&split.delays, first_of_round);
    let reached = emitter.step;
    let goes_on = emitter.b.ins().icmp(IntCC::UnsignedLessThan, reached, end);
    let reported = split.step.reports.as_ref().map(|report_cells| {
        match carried.iter().position(|cell| *cell == report_cells.any) {
            Some(at) => emitter.number_of(last[at]),
            None => emitter.load(report_cells.any),
        }
    });
    let goes_on = emitter.unless_reported(goes_on, reported);
    let args = block_args(emitter.step, emitter.log, &last);
    emitter.b.ins().brif(goes_on, round, &args, done, &[]);
    emitter.b.switch_to_block(done);
    emitter.store_carried(&split.schedule, &last);
    for &(cell, offset) in &split.delays.states {
        let value = emitter.load(offset);
        emitter.store(cell, value);
    }
    emitter.known.clear();
    at_ends().for_each(|at_end| emitter.at_end(at_end));
    emitter.b.ins().return_(&[reached]);
    emitter.b.switch_to_block(failed);
    let step = emitter.b.block_params(failed)[0];
    emitter.b.ins().return_(&[step]);
    emitter.b.seal_all_blocks();
    emitter.b.finalize(target);
}

/// Returns for each cell whether it changes while the function runs.
pub(in crate::engine::native) fn written(split: &LoopFission) -> Vec<bool> {
    let mut is_written = vec![false; split.cells()];
    let all = split.parts().flat_map(|(code, _)| &code.step);
    all.for_each(|ins| split.step.writes(ins).for_each(|cell| is_written[cell as usize] = true));
    split.delays.states.iter().for_each(|&(cell, _)| is_written[cell as usize] = true);
    for &CellRange { first: row, count } in &split.delays.rows {
        is_written[(row - count) as usize..row as usize].fill(true);
    }
    is_written
}

/// Returns the number of constants that the code reads as scalars.
pub(in crate::engine::native) fn constant_count(split: &LoopFission, is_written: &[bool]) -> usize {
    let all = split.parts().flat_map(|(code, _)| &code.step);
    let singles = all.flat_map(|ins| ins.reads().map(|(arg, _)| arg));
    let cells = singles.filter_map(|arg| if let Operand::Broadcast(cell) = arg { Some(cell) } else { None });
    cells.filter(|cell| !is_written[*cell as usize]).collect::<HashSet<u32>>().len()
}

/// The flags of memory accesses to cells: they cannot fault, but are not aligned to vectors.
pub(in crate::engine::native) fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'a> Emitter<'a, '_> {
    /// Generates all groups of a schedule; groups in a separate function are called.
    fn groups(&mut self, schedule: &'a FusionSchedule) {
        let mut next = 0;
        for function in &schedule.functions {
            schedule.groups[next..function.start].iter().for_each(|group| self.group(group));
            if let Some((&name, rest)) = self.functions.split_first() {
                self.functions = rest;
                self.b.ins().call(name, &[self.machine, self.cells, self.step, self.this_step]);
            }
            next = function.end;
        }
        schedule.groups[next..].iter().for_each(|group| self.group(group));
    }

    fn group(&mut self, group: &FusedGroup) {
        match group.kind {
            FusedKind::Straight => group.list.iter().for_each(|&at| self.straight(at)),
            FusedKind::Loop(elements) => self.elements(group, elements),
            FusedKind::Call => group.list.iter().for_each(|&at| self.call_or_branch(at)),
            FusedKind::Log(time) => self.note(time),
        }
    }

    pub fn offset(cell: u32) -> i32 {
        // The engine declines arenas that would not fit.
        (i64::from(cell) * BYTES) as i32
    }

    /// Returns the address of a cell, as a base and an offset in bytes; `bases` are those of the cells, of the buffer with
    /// the states, and of that with their next values.
    pub fn address(&self, cell: u32, bases: [Value; 3]) -> (Value, i32) {
        let location = self.double_buffer.map_or(Location::Fixed(cell), |double_buffer| double_buffer.location(cell));
        let (base, cell) = match location {
            Location::Fixed(cell) => (bases[0], cell),
            Location::Current(state) => (bases[1], state),
            Location::Next(state) => (bases[2], state),
        };
        (base, Self::offset(cell))
    }

    /// The bases of the cells for [`Emitter::address`], plus an offset in bytes.
    pub fn bases(&mut self, offset: Option<Value>) -> [Value; 3] {
        let bases = [self.cells, self.current, self.next];
        match offset {
            None => bases,
            Some(offset) if self.double_buffer.is_none() => [self.b.ins().iadd(self.cells, offset); 3],
            Some(offset) => bases.map(|base| self.b.ins().iadd(base, offset)),
        }
    }

    pub fn load(&mut self, cell: u32) -> Value {
        let flags = self.flags(cell);
        let (base, offset) = self.address(cell, [self.cells, self.current, self.next]);
        self.b.ins().load(F64, flags, base, offset)
    }

    /// Returns the memory flags of a cell; a cell that no step writes can be read at any time.
    pub fn flags(&self, cell: u32) -> MemFlagsData {
        if self.is_written[cell as usize] { memory() } else { memory().with_readonly().with_can_move() }
    }

    /// Returns the memory flags of adjacent cells.
    pub fn row_flags(&self, first: u32, count: u32) -> MemFlagsData {
        let written =
            self.is_written[first as usize..(first + count) as usize].iter().position(|is_written| *is_written);
        self.flags(first + written.unwrap_or(0) as u32)
    }

    fn store(&mut self, cell: u32, value: Value) {
        let (base, offset) = self.address(cell, [self.cells, self.current, self.next]);
        self.b.ins().store(memory(), value, base, offset);
    }

    /// Returns the value of cells that have the same one for as long as the code is used.
    pub fn equal_constant(&mut self, cells: Range<u32>) -> Option<f64> {
        // Rows of precomputed values are behind the cells that have constants.
        let constants = self.constants?.get(cells.start as usize..cells.end as usize)?;
        let is_written = &self.is_written[cells.start as usize..cells.end as usize];
        let value = *constants.first()?;
        let is_equal = constants.iter().all(|constant| constant.to_bits() == value.to_bits());
        if !is_equal || is_written.contains(&true) {
            return None;
        }
        self.used.extend(cells);
        Some(value)
    }

    /// Returns a scalar, from a register if it is in one.
    pub fn single(&mut self, cell: u32) -> LaneValue {
        if let Some(&lane) = self.known.get(&cell) {
            return lane;
        }
        if let Some(constants) = self.constants
            && !self.is_written[cell as usize]
        {
            self.used.insert(cell);
            return self.lane(Lanes::One).constant(constants[cell as usize]);
        }
        plain(self.load(cell))
    }

    /// As [`LaneValue::follows_time`].
    pub fn follows_time(&self, cell: u32) -> bool {
        self.known.get(&cell).map_or(!self.is_written[cell as usize], |lane| lane.follows_time)
    }

    /// Returns a scalar in a scalar register.
    pub fn scalar(&mut self, cell: u32) -> Value {
        let value = self.single(cell).value;
        first(&mut self.b, value)
    }

    pub fn keep(&mut self, at: u32, cell: u32, lane: LaneValue) {
        self.known.insert(cell, lane);
        if self.schedule.is_stored[at as usize] {
            let value = first(&mut self.b, lane.value);
            self.store(cell, value);
        }
    }

    fn call_or_branch(&mut self, at: u32) {
        let bodies = self.bodies;
        match self.code.step[at as usize].opcode {
            Opcode::Branch(number) => match &bodies[number as usize] {
                Some(body) => self.branch(at, body),
                None => self.interpret(at),
            },
            _ => self.interpret(at),
        }
    }

    fn branch(&mut self, at: u32, body: &'a Body) {
        let guard = self.single(body.guard);
        let runs = match guard.flag() {
            Some(flag) => flag,
            None => {
                let guard = first(&mut self.b, guard.value);
                let one = self.b.ins().f64const(1.0);
                self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, guard, one)
            }
        };
        let [on, off, done] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().brif(runs, on, &[], off, &[]);
        self.b.switch_to_block(on);
        if self.counts_runs
            && let Opcode::Branch(number) = self.code.step[at as usize].opcode
        {
            let branch = &self.code.branches[number as usize];
            let runs = self.b.ins().load(I64, memory(), self.machine, RUNS);
            let mut runs = self.b.ins().iadd_imm_s(runs, branch.executed as i64);
            for &(iterations, blocks) in &branch.again {
                // More than can be counted is beyond any limit.
                let blocks = self.b.ins().f64const(blocks as f64);
                let iterations = self.scalar(iterations);
                let executed = self.b.ins().fmul(iterations, blocks);
                let executed = self.b.ins().fcvt_to_uint_sat(I64, executed);
                let most = self.b.ins().iconst(I64, i64::MAX >> 1);
                let executed = self.b.ins().umin(executed, most);
                runs = self.b.ins().iadd(runs, executed);
            }
            self.set_runs(runs);
        }
        let before = self.known.get(&body.guard).copied();
        if let Some(value) = body.guard_value {
            let value = self.lane(Lanes::One).constant(value);
            self.known.insert(body.guard, value);
        }
        self.list(&body.on);
        if let Some(at_end) = &body.at_end {
            let one = self.b.ins().f64const(1.0);
            self.store(at_end.has_run, one);
        }
        match before {
            Some(before) => self.known.insert(body.guard, before),
            None => self.known.remove(&body.guard),
        };
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(off);
        body.off.iter().for_each(|list| self.list(list));
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.forget(at);
    }

    /// Generates the results of a branch that are needed at the end of the call, if it has run.
    fn at_end(&mut self, at_end: &'a AtEnd) {
        let has_run = self.load(at_end.has_run);
        let zero = self.b.ins().f64const(0.0);
        let has_run = self.b.ins().fcmp(FloatCC::NotEqual, has_run, zero);
        let [on, done] = [(); 2].map(|()| self.b.create_block());
        self.b.ins().brif(has_run, on, &[], done, &[]);
        self.b.switch_to_block(on);
        self.list(&at_end.list);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
    }

    fn set_runs(&mut self, runs: Value) {
        self.b.ins().store(memory(), runs, self.machine, RUNS);
    }

    /// Generates the list of a branch; its values in registers are valid only within it.
    fn list(&mut self, (code, schedule): &'a (StepCode, FusionSchedule)) {
        let known = self.known.clone();
        let around = (self.code, self.schedule);
        (self.code, self.schedule) = (code, schedule);
        schedule.groups.iter().for_each(|group| self.group(group));
        (self.code, self.schedule) = around;
        self.known = known;
    }

    /// Generates a call of the interpreter: operands and result are in memory.
    fn interpret(&mut self, at: u32) {
        let function = self.b.ins().iconst(I64, call::interpreter() as i64);
        let ins: *const Instruction = &self.code.step[at as usize];
        let number = self.b.ins().iconst(I64, ins as i64);
        let call = self.b.ins().call_indirect(self.to_interpreter, function, &[self.machine, self.step, number]);
        self.forget(at);
        if self.code.step[at as usize].opcode.can_fail() {
            let has_failed = self.b.inst_results(call)[0];
            let goes_on = self.b.create_block();
            self.b.ins().brif(has_failed, self.failed, &[BlockArg::from(self.step)], goes_on, &[]);
            self.b.switch_to_block(goes_on);
        }
    }

    /// Forgets registers of cells that were written in memory.
    pub fn forget(&mut self, at: u32) {
        let ins = &self.code.step[at as usize];
        for cell in self.code.writes(ins) {
            self.known.remove(&cell);
        }
    }

    fn note(&mut self, time: LogTime) {
        let schedule = self.schedule;
        if let Some(rows) = self.rows {
            for (&(cell, row), known) in rows.iter().zip(&schedule.log_times) {
                if *known == time {
                    let value = self.scalar(cell);
                    self.b.ins().store(memory(), value, self.this_step, Self::offset(row));
                }
            }
            return;
        }
        let mut column = 0;
        for (&CellRange { first, count: width }, known) in self.watched.iter().zip(&schedule.log_times) {
            for cell in first..first + width {
                if *known == time {
                    let value = self.scalar(cell);
                    self.b.ins().store(memory(), value, self.log, column);
                }
                column += self.pitch as i32 * BYTES as i32;
            }
        }
        // The last value of a step.
        if time == LogTime::Sampled || !schedule.log_times.contains(&LogTime::Sampled) {
            self.log = self.b.ins().iadd_imm_s(self.log, BYTES);
        }
    }
}
