//! Writes the step loop: each node of the plan in turn.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, F64X2, I64};
use cranelift_codegen::ir::{AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, SigRef, Signature, Value};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;

use super::super::flat::{Act, Arg, Code, Ins};
use super::call;
use super::lane::{Lane, Writer, plain};
use super::plan::{Kind, Node, Plan};

const BYTES: i64 = 8;

/// What the function is given, in this order: the machine, its cells, the first step, the step to end before, and
/// where watched values go.
pub(super) const PARAMS: usize = 5;

pub(super) struct Emitter<'a, 'f> {
    code: &'a Code,
    plan: &'a Plan,
    watched: &'a [(u32, u32)],
    b: FunctionBuilder<'f>,
    /// Single lanes in registers, by cell.
    known: HashMap<u32, Lane>,
    machine: Value,
    cells: Value,
    step: Value,
    log: Value,
    one_to_one: SigRef,
    two_to_one: SigRef,
    to_interpreter: SigRef,
}

/// Writes the whole function.
pub(super) fn emit(
    code: &Code,
    plan: &Plan,
    watched: &[(u32, u32)],
    mut b: FunctionBuilder,
    target: TargetFrontendConfig,
) {
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let params = b.block_params(entry).to_vec();
    let [machine, cells, first, end, log] = params[..] else { panic!("the function has {PARAMS} parameters") };
    let call_conv = b.func.signature.call_conv;
    let signature = |b: &mut FunctionBuilder, from: &[cranelift_codegen::ir::Type], to: &[cranelift_codegen::ir::Type]| {
        let mut signature = Signature::new(call_conv);
        signature.params.extend(from.iter().copied().map(AbiParam::new));
        signature.returns.extend(to.iter().copied().map(AbiParam::new));
        b.import_signature(signature)
    };
    let one_to_one = signature(&mut b, &[F64], &[F64]);
    let two_to_one = signature(&mut b, &[F64, F64], &[F64]);
    let to_interpreter = signature(&mut b, &[I64, I64, I64], &[]);
    let head = b.create_block();
    let done = b.create_block();
    let step = b.append_block_param(head, I64);
    let log_here = b.append_block_param(head, I64);
    let carried: Vec<Value> = plan.carried.iter().map(|_| b.append_block_param(head, F64)).collect();
    let mut emitter = Emitter {
        code,
        plan,
        watched,
        b,
        known: HashMap::new(),
        machine,
        cells,
        step,
        log: log_here,
        one_to_one,
        two_to_one,
        to_interpreter,
    };
    let mut before: Vec<BlockArg> = vec![first.into(), log.into()];
    before.extend(plan.carried.iter().map(|&cell| BlockArg::from(emitter.load(cell))));
    emitter.b.ins().jump(head, &before);
    emitter.b.switch_to_block(head);
    emitter.known = plan.carried.iter().copied().zip(carried.into_iter().map(plain)).collect();
    plan.nodes.iter().for_each(|node| emitter.node(node));
    emitter.close(head, done, end);
    emitter.b.seal_all_blocks();
    emitter.b.finalize(target);
}

/// Cells are as the machine keeps them: there, but no vector's worth aligned.
fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl Emitter<'_, '_> {
    fn close(&mut self, head: Block, done: Block, end: Value) {
        let next = self.b.ins().iadd_imm_s(self.step, 1);
        let mut after: Vec<BlockArg> = vec![next.into(), self.log.into()];
        let carried: Vec<Value> = self.plan.carried.iter().map(|&cell| self.single(cell).value).collect();
        after.extend(carried.iter().map(|&value| BlockArg::from(value)));
        let goes_on = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.b.ins().brif(goes_on, head, &after, done, &[]);
        self.b.switch_to_block(done);
        for (&cell, value) in self.plan.carried.iter().zip(carried) {
            self.store(cell, value);
        }
        self.b.ins().return_(&[]);
    }

    fn node(&mut self, node: &Node) {
        match node.kind {
            Kind::Straight => node.list.iter().for_each(|&at| self.straight(at)),
            Kind::Loop(lanes) => self.lanes(node, lanes),
            Kind::Fold => node.list.iter().for_each(|&at| self.fold(at)),
            Kind::Call => node.list.iter().for_each(|&at| self.interpret(at)),
            Kind::Log => self.note(),
        }
    }

    fn offset(cell: u32) -> i32 {
        // The engine declines arenas that would not fit.
        (i64::from(cell) * BYTES) as i32
    }

    fn load(&mut self, cell: u32) -> Value {
        self.b.ins().load(F64, memory(), self.cells, Self::offset(cell))
    }

    fn store(&mut self, cell: u32, value: Value) {
        self.b.ins().store(memory(), value, self.cells, Self::offset(cell));
    }

    /// A single lane, from a register where it is in one.
    fn single(&mut self, cell: u32) -> Lane {
        match self.known.get(&cell) {
            Some(&lane) => lane,
            None => plain(self.load(cell)),
        }
    }

    fn keep(&mut self, at: u32, cell: u32, lane: Lane) {
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
            Act::Step => plain(self.b.ins().fcvt_from_sint(F64, self.step)),
            Act::StepTime | Act::StageTime(_) => {
                let mut step = self.b.ins().fcvt_from_sint(F64, self.step);
                if let Act::StageTime(part) = ins.act
                    && part != 0.0
                {
                    let part = self.b.ins().f64const(part);
                    step = self.b.ins().fadd(step, part);
                }
                let delta = self.b.ins().f64const(self.code.delta);
                plain(self.b.ins().fmul(step, delta))
            }
            Act::Fold(_) | Act::Pick { .. } | Act::Past(_) | Act::Push(_) | Act::Random { .. } => {
                panic!("the plan leaves {:?} to others", ins.act)
            }
        }
    }

    fn binary(&mut self, op: crate::block::Binary, a: Lane, b: Lane) -> Lane {
        let inline = Writer { b: &mut self.b, is_pair: false }.binary(op, a, b);
        inline.unwrap_or_else(|| self.call(self.two_to_one, call::binary(op), &[a.value, b.value]))
    }

    fn call(&mut self, signature: SigRef, address: usize, args: &[Value]) -> Lane {
        let function = self.b.ins().iconst(I64, address as i64);
        let call = self.b.ins().call_indirect(signature, function, args);
        plain(self.b.inst_results(call)[0])
    }

    /// The interpreter runs it: its operands are in memory, and so is its result.
    fn interpret(&mut self, at: u32) {
        let function = self.b.ins().iconst(I64, call::interpreter() as i64);
        let number = self.b.ins().iconst(I64, i64::from(at));
        self.b.ins().call_indirect(self.to_interpreter, function, &[self.machine, self.step, number]);
        self.forget(at);
    }

    /// What is in memory now is not what a register has.
    fn forget(&mut self, at: u32) {
        let ins = &self.code.step[at as usize];
        for cell in ins.dst..ins.dst + ins.written() {
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

    /// A loop over memory, a term a turn, four terms at once while there are.
    fn fold(&mut self, at: u32) {
        const AT_ONCE: u32 = 8;
        let ins = self.code.step[at as usize];
        let (Act::Fold(op), Arg::Run(from)) = (ins.act, ins.args[1]) else { panic!("a fold over a run") };
        let first = self.single(ins.args[0].cell(&self.code.tables, 0)).value;
        let rounds = ins.lanes / AT_ONCE;
        let (head, done) = (self.b.create_block(), self.b.create_block());
        let (place, sum) = (self.b.append_block_param(head, I64), self.b.append_block_param(head, F64));
        let result = self.b.append_block_param(done, F64);
        let start = self.b.ins().iadd_imm_s(self.cells, i64::from(from) * BYTES);
        let stop = self.b.ins().iadd_imm_s(start, i64::from(rounds * AT_ONCE) * BYTES);
        self.b.ins().jump(head, &[start.into(), first.into()]);
        self.b.switch_to_block(head);
        let mut all = plain(sum);
        for term in 0..AT_ONCE {
            let term = plain(self.b.ins().load(F64, memory(), place, term as i32 * BYTES as i32));
            all = self.binary(op, all, term);
        }
        let next = self.b.ins().iadd_imm_s(place, i64::from(AT_ONCE) * BYTES);
        let goes_on = self.b.ins().icmp(IntCC::UnsignedLessThan, next, stop);
        self.b.ins().brif(goes_on, head, &[next.into(), all.value.into()], done, &[all.value.into()]);
        self.b.switch_to_block(done);
        let mut all = plain(result);
        for lane in rounds * AT_ONCE..ins.lanes {
            let term = plain(self.load(from + lane));
            all = self.binary(op, all, term);
        }
        self.keep(at, ins.dst, all);
    }

    /// Two lanes at a time, and the odd one.
    fn lanes(&mut self, node: &Node, lanes: u32) {
        let singles = self.singles(node);
        let pairs = i64::from(lanes / 2 * 2) * BYTES;
        let splats: HashMap<u32, Lane> =
            singles.iter().map(|(&cell, lane)| (cell, plain(self.b.ins().splat(F64X2, lane.value)))).collect();
        let (head, done) = (self.b.create_block(), self.b.create_block());
        let place = self.b.append_block_param(head, I64);
        let zero = self.b.ins().iconst(I64, 0);
        self.b.ins().jump(head, &[zero.into()]);
        self.b.switch_to_block(head);
        let turn = Turn { place: Some(place), lane: 0, singles: &splats };
        self.body(node, &turn);
        let next = self.b.ins().iadd_imm_s(place, 2 * BYTES);
        let goes_on = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, pairs);
        self.b.ins().brif(goes_on, head, &[next.into()], done, &[]);
        self.b.switch_to_block(done);
        if lanes % 2 == 1 {
            self.body(node, &Turn { place: None, lane: lanes - 1, singles: &singles });
        }
        node.list.iter().for_each(|&at| self.forget(at));
    }

    /// The single lanes that all lanes of a loop meet.
    fn singles(&mut self, node: &Node) -> HashMap<u32, Lane> {
        let mut singles = HashMap::new();
        for &at in &node.list {
            let ins = self.code.step[at as usize];
            for (arg, _) in ins.reads() {
                if let Arg::One(cell) = arg {
                    let lane = self.single(cell);
                    singles.entry(cell).or_insert(lane);
                }
            }
        }
        singles
    }

    fn body(&mut self, node: &Node, turn: &Turn) {
        let base = turn.place.map(|place| self.b.ins().iadd(self.cells, place));
        // Results and operands of this turn by their first cell.
        let mut made: HashMap<u32, Lane> = HashMap::new();
        for &at in &node.list {
            let ins = self.code.step[at as usize];
            let count = ins.reads().count();
            let mut args = [None; 3];
            for (arg, lane) in ins.args.iter().zip(&mut args).take(count) {
                *lane = Some(self.operand(*arg, turn, base, &mut made));
            }
            let mut writer = Writer { b: &mut self.b, is_pair: base.is_some() };
            let result = match (ins.act, args) {
                (Act::Copy, [Some(a), ..]) => Some(a),
                (Act::Unary(op), [Some(a), ..]) => writer.unary(op, a),
                (Act::Binary(op), [Some(a), Some(b), _]) => writer.binary(op, a, b),
                (Act::Select, [Some(on), Some(yes), Some(no)]) => Some(writer.select(on, yes, no)),
                _ => None,
            };
            let Some(result) = result else { panic!("the plan loops over what is in line, not {:?}", ins.act) };
            made.insert(ins.dst, result);
            if self.plan.is_stored[at as usize] {
                match base {
                    Some(base) => self.b.ins().store(memory(), result.value, base, Self::offset(ins.dst)),
                    None => {
                        self.b.ins().store(memory(), result.value, self.cells, Self::offset(ins.dst + turn.lane))
                    }
                };
            }
        }
    }

    fn operand(&mut self, arg: Arg, turn: &Turn, base: Option<Value>, made: &mut HashMap<u32, Lane>) -> Lane {
        match (arg, base) {
            (Arg::One(cell), _) => turn.singles[&cell],
            (Arg::Run(from), base) => {
                if let Some(&lane) = made.get(&from) {
                    return lane;
                }
                let lane = plain(match base {
                    Some(base) => self.b.ins().load(F64X2, memory(), base, Self::offset(from)),
                    None => self.load(from + turn.lane),
                });
                made.insert(from, lane);
                lane
            }
            (Arg::Table(at), None) => plain(self.load(self.code.tables[(at + turn.lane) as usize])),
            (Arg::Table(at), Some(_)) => {
                let lanes = [0, 1].map(|lane| self.gathered(at + lane, turn));
                let pair = self.b.ins().splat(F64X2, lanes[0]);
                plain(self.b.ins().insertlane(pair, lanes[1], 1))
            }
        }
    }

    /// The cell that the table names for this turn's lane.
    fn gathered(&mut self, at: u32, turn: &Turn) -> Value {
        let Some(place) = turn.place else { panic!("only turns of two gather") };
        let table = self.b.ins().iconst(I64, self.code.tables.as_ptr() as i64);
        // An entry is half as long as a cell.
        let half = self.b.ins().ushr_imm_u(place, 1);
        let entry = self.b.ins().iadd(table, half);
        let cell = self.b.ins().uload32(memory(), entry, (at * 4) as i32);
        let bytes = self.b.ins().ishl_imm_u(cell, 3);
        let from = self.b.ins().iadd(self.cells, bytes);
        self.b.ins().load(F64, memory(), from, 0)
    }
}

/// One turn of a loop: at this many bytes two lanes, or the single lane.
struct Turn<'a> {
    place: Option<Value>,
    lane: u32,
    singles: &'a HashMap<u32, Lane>,
}
