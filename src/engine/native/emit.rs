//! Writes the step loop: each node of the plan in turn.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, FuncRef, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;

use super::super::flat::{Act, Arg, Code, Ins, Machine};
use super::ahead::{Delays, STEPS, Split};
use super::body::Body;
use super::call;
use super::lane::{Lane, Writer, plain};
use super::plan::{Kind, Node, Plan};
use crate::block::{Binary, SampleTime};

pub(super) const BYTES: i64 = 8;
/// Where the machine has the number of blocks that have run in the step.
const RUNS: i32 = std::mem::offset_of!(Machine, executed) as i32;
/// More constants than this stay in memory.
const MOST_CONSTANTS: usize = 64;

/// What the function is given, in this order: the machine, its cells, the first step, the step to end before, and
/// where watched values go.
pub(super) const PARAMS: usize = 5;

pub(super) struct Emitter<'a, 'f> {
    bodies: &'a [Option<Body>],
    pub code: &'a Code,
    pub plan: &'a Plan,
    watched: &'a [(u32, u32)],
    pub b: FunctionBuilder<'f>,
    is_written: &'a [bool],
    /// Single lanes in registers, by cell.
    known: HashMap<u32, Lane>,
    machine: Value,
    pub cells: Value,
    pub step: Value,
    /// The cells, as many on as the step is in its round.
    this_step: Value,
    log: Value,
    one_to_one: SigRef,
    two_to_one: SigRef,
    to_interpreter: SigRef,
    /// Where the code leaves when a step fails.
    failed: Block,
    /// Whether the machine must know how many blocks have run: the interpreter looks at it where a part is iterated.
    counts_runs: bool,
    /// The functions of the code's plan, and of that of what is made ahead.
    functions: &'a [FuncRef],
}

/// The functions that a step's plans want, those of what is made ahead first.
pub(super) fn functions(split: &Split) -> impl Iterator<Item = (&Code, &Plan, &[Node])> {
    let ahead = split.ahead.iter().map(|(code, plan)| (code, plan));
    let plans = ahead.chain([(&split.step, &split.plan)]);
    plans.flat_map(|(code, plan)| plan.functions.iter().map(move |nodes| (code, plan, &plan.nodes[nodes.clone()])))
}

/// What such a function is given: the machine, its cells, the step, and the cells as many on as it is in its round.
pub(super) const FUNCTION_PARAMS: usize = 4;

/// Writes a function for some nodes.
pub(super) fn emit_function(
    (code, plan, nodes): (&Code, &Plan, &[Node]),
    is_written: &[bool],
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
        plan,
        watched: &[],
        b,
        is_written,
        known: HashMap::new(),
        machine,
        cells,
        step,
        this_step,
        log: cells,
        one_to_one,
        two_to_one,
        to_interpreter,
        // Nothing in it fails.
        failed: entry,
        counts_runs: false,
        functions: &[],
    };
    for node in nodes {
        emitter.known.clear();
        emitter.node(node);
    }
    emitter.b.ins().return_(&[]);
    emitter.b.seal_all_blocks();
    emitter.b.finalize(target);
}

/// How operations and the interpreter are called.
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

/// Writes the whole function.
pub(super) fn emit(
    split: &Split,
    watched: &[(u32, u32)],
    (is_written, functions): (&[bool], &[FuncRef]),
    mut b: FunctionBuilder,
    target: TargetFrontendConfig,
) {
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let params = b.block_params(entry).to_vec();
    let [machine, cells, first, end, log] = params[..] else { panic!("the function has {PARAMS} parameters") };
    let [one_to_one, two_to_one, to_interpreter] = signatures(&mut b);
    let failed = b.create_block();
    b.append_block_param(failed, I64);
    let (code, plan) = split.ahead.as_ref().map_or((&split.step, &split.plan), |(code, plan)| (code, plan));
    let carried = &split.plan.carried;
    let mut emitter = Emitter {
        bodies: &split.bodies,
        code,
        plan,
        watched,
        b,
        is_written,
        known: HashMap::new(),
        machine,
        cells,
        step: first,
        this_step: cells,
        log,
        one_to_one,
        two_to_one,
        to_interpreter,
        failed,
        counts_runs: split.is_step && split.step.branches.iter().any(|branch| branch.repeat.is_some()),
        functions,
    };
    for &(cell, place) in &split.delays.states {
        let value = emitter.load(cell);
        emitter.store(place, value);
    }
    let initial: Vec<Value> = carried.iter().map(|&cell| emitter.load(cell)).collect();
    // Rounds of steps made ahead, and in each the steps.
    let (round, head, tail, done) = [(); 4].map(|()| emitter.b.create_block()).into();
    emitter.jump(round, first, log, &initial);
    let from_round = emitter.enter(round, carried);
    let first_of_round = emitter.step;
    if split.ahead.is_some() {
        // What is watched is noted step by step.
        emitter.watched = &[];
        emitter.nodes(plan);
        emitter.watched = watched;
    }
    let limit = emitter.round_end(split, end);
    let (step, log) = (emitter.step, emitter.log);
    emitter.jump(head, step, log, &from_round);
    (emitter.code, emitter.plan) = (&split.step, &split.plan);
    let from_head = emitter.enter(head, carried);
    let made = emitter.b.ins().isub(emitter.step, first_of_round);
    let bytes = emitter.b.ins().ishl_imm_u(made, 3);
    emitter.this_step = emitter.b.ins().iadd(cells, bytes);
    emitter.known = carried.iter().copied().zip(from_head.into_iter().map(plain)).collect();
    if emitter.counts_runs {
        let runs = emitter.b.ins().iconst(I64, split.step.executed as i64);
        emitter.set_runs(runs);
    }
    emitter.nodes(&split.plan);
    emitter.close(head, tail, limit);
    let last = emitter.enter(tail, carried);
    emitter.move_on(&split.delays, first_of_round);
    let reached = emitter.step;
    let goes_on = emitter.b.ins().icmp(IntCC::UnsignedLessThan, reached, end);
    let told = split.step.told.as_ref().map(|tells| match carried.iter().position(|cell| *cell == tells.any) {
        Some(at) => last[at],
        None => emitter.load(tells.any),
    });
    let goes_on = emitter.unless_told(goes_on, told);
    let args = block_args(emitter.step, emitter.log, &last);
    emitter.b.ins().brif(goes_on, round, &args, done, &[]);
    emitter.b.switch_to_block(done);
    for (&cell, &value) in carried.iter().zip(&last) {
        emitter.store(cell, value);
    }
    for &(cell, place) in &split.delays.states {
        let value = emitter.load(place);
        emitter.store(cell, value);
    }
    emitter.b.ins().return_(&[reached]);
    emitter.b.switch_to_block(failed);
    let step = emitter.b.block_params(failed)[0];
    emitter.b.ins().return_(&[step]);
    emitter.b.seal_all_blocks();
    emitter.b.finalize(target);
}

/// The cells that change while the function runs.
pub(super) fn written(split: &Split) -> Vec<bool> {
    let mut is_written = vec![false; split.cells()];
    let both = split.ahead.iter().flat_map(|(code, _)| &code.step).chain(&split.step.step);
    both.for_each(|ins| split.step.writes(ins).for_each(|cell| is_written[cell as usize] = true));
    for &(row, count) in &split.delays.rows {
        is_written[(row - count) as usize..row as usize].fill(true);
    }
    // What never changes is read outside the loops. More of it than there are registers would only be put aside there,
    // and finding out where takes time that grows with the square of it.
    let both = split.ahead.iter().flat_map(|(code, _)| &code.step).chain(&split.step.step);
    let singles = both.flat_map(|ins| ins.reads().map(|(arg, _)| arg).filter(|arg| matches!(arg, Arg::One(_))));
    let constants: HashSet<u32> =
        singles.map(|arg| arg.cell(&[], 0)).filter(|cell| !is_written[*cell as usize]).collect();
    if constants.len() > MOST_CONSTANTS {
        is_written.fill(true);
    }
    is_written
}

fn block_args(step: Value, log: Value, carried: &[Value]) -> Vec<BlockArg> {
    [step, log].into_iter().chain(carried.iter().copied()).map(BlockArg::from).collect()
}

/// Cells are as the machine keeps them: there, but no vector's worth aligned.
pub(super) fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'a> Emitter<'a, '_> {
    /// Goes on in a block that [`Emitter::enter`] begins.
    fn jump(&mut self, to: Block, step: Value, log: Value, carried: &[Value]) {
        self.b.ins().jump(to, &block_args(step, log, carried));
    }

    /// Begins a block with the step, the log's place and what is carried, which it returns.
    fn enter(&mut self, block: Block, carried: &[u32]) -> Vec<Value> {
        self.b.switch_to_block(block);
        self.step = self.b.append_block_param(block, I64);
        self.log = self.b.append_block_param(block, I64);
        carried.iter().map(|_| self.b.append_block_param(block, F64)).collect()
    }

    /// The step before which the round ends.
    fn round_end(&mut self, split: &Split, end: Value) -> Value {
        if split.ahead.is_none() {
            return end;
        }
        let next = self.b.ins().iadd_imm_s(self.step, i64::from(STEPS));
        self.b.ins().umin(next, end)
    }

    /// Behind a round: the last values of delayed rows go in front of them.
    fn move_on(&mut self, delays: &Delays, first_of_round: Value) {
        if delays.rows.is_empty() {
            return;
        }
        let made = self.b.ins().isub(self.step, first_of_round);
        let bytes = self.b.ins().ishl_imm_u(made, 3);
        let from = self.b.ins().iadd(self.cells, bytes);
        for &(row, count) in &delays.rows {
            // From the first on, since they may overlap.
            for at in row - count..row {
                let value = self.b.ins().load(F64, memory(), from, Self::offset(at));
                self.store(at, value);
            }
        }
    }

    fn close(&mut self, head: Block, tail: Block, limit: Value) {
        let next = self.b.ins().iadd_imm_s(self.step, 1);
        let carried: Vec<Value> = self.plan.carried.iter().map(|&cell| self.single(cell).value).collect();
        let args = block_args(next, self.log, &carried);
        let goes_on = self.b.ins().icmp(IntCC::UnsignedLessThan, next, limit);
        let told = self.code.told.as_ref().map(|tells| tells.any).map(|any| self.single(any).value);
        let goes_on = self.unless_told(goes_on, told);
        self.b.ins().brif(goes_on, head, &args, tail, &args);
    }

    /// Whether to go on: never where something was told, which whoever called looks at.
    fn unless_told(&mut self, goes_on: Value, told: Option<Value>) -> Value {
        let Some(told) = told else { return goes_on };
        let zero = self.b.ins().f64const(0.0);
        let is_quiet = self.b.ins().fcmp(FloatCC::Equal, told, zero);
        self.b.ins().band(goes_on, is_quiet)
    }

    /// All nodes of a plan; what is a function of its own is called.
    fn nodes(&mut self, plan: &'a Plan) {
        let mut next = 0;
        for function in &plan.functions {
            plan.nodes[next..function.start].iter().for_each(|node| self.node(node));
            if let Some((&name, rest)) = self.functions.split_first() {
                self.functions = rest;
                self.b.ins().call(name, &[self.machine, self.cells, self.step, self.this_step]);
            }
            next = function.end;
        }
        plan.nodes[next..].iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &Node) {
        match node.kind {
            Kind::Straight => node.list.iter().for_each(|&at| self.straight(at)),
            Kind::Loop(lanes) => self.lanes(node, lanes),
            Kind::Call => node.list.iter().for_each(|&at| self.call_or_branch(at)),
            Kind::Log => self.note(),
        }
    }

    pub fn offset(cell: u32) -> i32 {
        // The engine declines arenas that would not fit.
        (i64::from(cell) * BYTES) as i32
    }

    pub fn load(&mut self, cell: u32) -> Value {
        let flags = self.flags(cell);
        self.b.ins().load(F64, flags, self.cells, Self::offset(cell))
    }

    /// What no step writes can be read at any time.
    pub fn flags(&self, cell: u32) -> MemFlagsData {
        if self.is_written[cell as usize] { memory() } else { memory().with_readonly().with_can_move() }
    }

    fn store(&mut self, cell: u32, value: Value) {
        self.b.ins().store(memory(), value, self.cells, Self::offset(cell));
    }

    /// A single lane, from a register where it is in one.
    pub fn single(&mut self, cell: u32) -> Lane {
        match self.known.get(&cell) {
            Some(&lane) => lane,
            None => plain(self.load(cell)),
        }
    }

    pub fn keep(&mut self, at: u32, cell: u32, lane: Lane) {
        self.known.insert(cell, lane);
        if self.plan.is_stored[at as usize] {
            self.store(cell, lane.value);
        }
    }

    fn straight(&mut self, at: u32) {
        let ins = self.code.step[at as usize];
        if let Act::Fold(op) = ins.act {
            let mut sum = self.single(ins.args[0].cell(&self.code.tables, 0));
            for lane in 0..ins.lanes {
                let term = self.single(ins.args[1].cell(&self.code.tables, lane));
                sum = self.binary(op, sum, term);
            }
            return self.keep(at, ins.dst, sum);
        }
        for lane in 0..ins.lanes {
            let args = ins.args.map(|arg| arg.cell(&self.code.tables, lane));
            let value = self.arithmetic(&ins, args);
            self.keep(at, ins.dst + lane, value);
        }
    }

    fn arithmetic(&mut self, ins: &Ins, args: [u32; 3]) -> Lane {
        match ins.act {
            Act::Copy => self.single(args[0]),
            Act::Unary(op) => {
                let a = self.single(args[0]);
                let inline = Writer { b: &mut self.b, is_pair: false }.unary(op, a);
                inline.unwrap_or_else(|| self.call(self.one_to_one, call::unary(op), &[a.value]))
            }
            Act::Binary(op) => {
                let (a, b) = (self.single(args[0]), self.single(args[1]));
                self.binary(op, a, b)
            }
            Act::Select => {
                let [on, yes, no] = args.map(|cell| self.single(cell));
                Writer { b: &mut self.b, is_pair: false }.select(on, yes, no)
            }
            Act::Ahead(array) => plain(self.b.ins().load(F64, memory(), self.this_step, Self::offset(array))),
            Act::Hit(sample) => self.is_hit(sample),
            Act::Count(sample) => {
                let count = self.count(sample);
                plain(self.b.ins().fcvt_from_uint(F64, count))
            }
            Act::Step | Act::StepTime | Act::StageTime(_) => {
                let step = self.b.ins().fcvt_from_sint(F64, self.step);
                self.clock(ins.act, step, false)
            }
            Act::Fold(_)
            | Act::Pick { .. }
            | Act::Past(_)
            | Act::Push(_)
            | Act::Fill(_)
            | Act::Branch(_)
            | Act::Random { .. }
            | Act::Solve { .. }
            | Act::Loop { .. }
            | Act::Call { .. }
            | Act::RefuseNonFinite
            | Act::LimitRuns => {
                panic!("the plan leaves {:?} to others", ins.act)
            }
        }
    }

    /// As [`SampleTime::is_hit`].
    fn is_hit(&mut self, sample: SampleTime) -> Lane {
        let since = self.b.ins().iadd_imm_s(self.step, -(sample.offset as i64));
        let period = self.b.ins().iconst(I64, sample.period as i64);
        let rest = self.b.ins().urem(since, period);
        let zero = self.b.ins().iconst(I64, 0);
        let is_multiple = self.b.ins().icmp(IntCC::Equal, rest, zero);
        let has_begun = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, since, zero);
        let is_hit = self.b.ins().band(is_multiple, has_begun);
        Writer { b: &mut self.b, is_pair: false }.lane_of(is_hit)
    }

    /// As [`SampleTime::count`].
    fn count(&mut self, sample: SampleTime) -> Value {
        let since = self.b.ins().iadd_imm_s(self.step, -(sample.offset as i64));
        let zero = self.b.ins().iconst(I64, 0);
        let since = self.b.ins().smax(since, zero);
        let period = self.b.ins().iconst(I64, sample.period as i64);
        self.b.ins().udiv(since, period)
    }

    /// What the clock tells in a step, or in two.
    pub fn clock(&mut self, act: Act, step: Value, is_pair: bool) -> Lane {
        let mut writer = Writer { b: &mut self.b, is_pair };
        let mut time = step;
        if let Act::StageTime(part) = act
            && part != 0.0
        {
            let part = writer.constant(part);
            time = writer.b.ins().fadd(time, part);
        }
        if act != Act::Step {
            let delta = writer.constant(self.code.delta);
            time = writer.b.ins().fmul(time, delta);
        }
        plain(time)
    }

    pub fn binary(&mut self, op: Binary, a: Lane, b: Lane) -> Lane {
        let inline = Writer { b: &mut self.b, is_pair: false }.binary(op, a, b);
        inline.unwrap_or_else(|| self.call(self.two_to_one, call::binary(op), &[a.value, b.value]))
    }

    fn call(&mut self, signature: SigRef, address: usize, args: &[Value]) -> Lane {
        let function = self.b.ins().iconst(I64, address as i64);
        let call = self.b.ins().call_indirect(signature, function, args);
        plain(self.b.inst_results(call)[0])
    }

    fn call_or_branch(&mut self, at: u32) {
        let bodies = self.bodies;
        match self.code.step[at as usize].act {
            Act::Branch(number) => match &bodies[number as usize] {
                Some(body) => self.branch(at, body),
                None => self.interpret(at),
            },
            _ => self.interpret(at),
        }
    }

    fn branch(&mut self, at: u32, body: &'a Body) {
        let guard = self.single(body.guard).value;
        let one = self.b.ins().f64const(1.0);
        let runs = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, guard, one);
        let [on, off, done] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().brif(runs, on, &[], off, &[]);
        self.b.switch_to_block(on);
        if self.counts_runs
            && let Act::Branch(number) = self.code.step[at as usize].act
        {
            let executed = self.code.branches[number as usize].executed;
            let runs = self.b.ins().load(I64, memory(), self.machine, RUNS);
            let runs = self.b.ins().iadd_imm_s(runs, executed as i64);
            self.set_runs(runs);
        }
        self.list(&body.on);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(off);
        body.off.iter().for_each(|list| self.list(list));
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
        self.forget(at);
    }

    fn set_runs(&mut self, runs: Value) {
        self.b.ins().store(memory(), runs, self.machine, RUNS);
    }

    /// Writes a list of its own; what it leaves in registers is of use to nobody else.
    fn list(&mut self, (code, plan): &'a (Code, Plan)) {
        let known = self.known.clone();
        let around = (self.code, self.plan);
        (self.code, self.plan) = (code, plan);
        plan.nodes.iter().for_each(|node| self.node(node));
        (self.code, self.plan) = around;
        self.known = known;
    }

    /// The interpreter runs it: its operands are in memory, and so is its result.
    fn interpret(&mut self, at: u32) {
        let function = self.b.ins().iconst(I64, call::interpreter() as i64);
        let ins: *const Ins = &self.code.step[at as usize];
        let number = self.b.ins().iconst(I64, ins as i64);
        let call = self.b.ins().call_indirect(self.to_interpreter, function, &[self.machine, self.step, number]);
        self.forget(at);
        if self.code.step[at as usize].act.can_fail() {
            let has_failed = self.b.inst_results(call)[0];
            let goes_on = self.b.create_block();
            self.b.ins().brif(has_failed, self.failed, &[BlockArg::from(self.step)], goes_on, &[]);
            self.b.switch_to_block(goes_on);
        }
    }

    /// What is in memory now is not what a register has.
    pub fn forget(&mut self, at: u32) {
        let ins = &self.code.step[at as usize];
        for cell in self.code.writes(ins) {
            self.known.remove(&cell);
        }
    }

    fn note(&mut self) {
        let mut row = 0;
        for &(first, width) in self.watched {
            for cell in first..first + width {
                let value = self.single(cell).value;
                self.b.ins().store(memory(), value, self.log, row);
                row += BYTES as i32;
            }
        }
        self.log = self.b.ins().iadd_imm_s(self.log, i64::from(row));
    }
}
