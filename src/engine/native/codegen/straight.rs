//! Generates straight-line code.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, SigRef, Value};

use super::lane::{LaneEmitter, LaneValue, Lanes, first, plain};
use super::{Emitter, memory};
use crate::block::math::{Arithmetic, Relation};
use crate::block::{Binary, SampleTime};
use crate::engine::native::call;
use crate::engine::step_code::{Instruction, Opcode, Operand};

impl<'f> Emitter<'_, 'f> {
    pub fn lane<'b>(&'b mut self, lanes: Lanes) -> LaneEmitter<'b, 'f> {
        let pairs = match lanes {
            Lanes::One => self.pairs.as_deref_mut().map(|pairs| (self.cells, pairs)),
            Lanes::Two => None,
        };
        LaneEmitter { b: &mut self.b, lanes, keeps_constants: self.keeps_constants, pairs, has_flags: self.has_flags }
    }

    pub fn straight(&mut self, at: u32) {
        let ins = self.code.step[at as usize];
        if let Opcode::Fold(op) = ins.opcode {
            let mut sum = self.single(ins.args[0].cell(&self.code.tables, 0));
            for element in 0..ins.elements {
                let term = self.single(ins.args[1].cell(&self.code.tables, element));
                sum = self.binary(op, sum, term);
            }
            return self.keep(at, ins.dst, sum);
        }
        for element in 0..ins.elements {
            let value = match ins.opcode {
                Opcode::Pick { count } => self.pick(&ins, count, element),
                _ => self.elementwise(&ins, element),
            };
            self.keep(at, ins.dst + element, value);
        }
    }

    /// Computes an element of a result from the same element of the operands.
    fn elementwise(&mut self, ins: &Instruction, element: u32) -> LaneValue {
        let args = ins.args.map(|arg| arg.cell(&self.code.tables, element));
        let follows_time = match ins.opcode {
            Opcode::Hit(_) | Opcode::Count(_) | Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) => true,
            _ => ins.opcode.is_pure() && args[..ins.reads().count()].iter().all(|cell| self.follows_time(*cell)),
        };
        let mut value = self.arithmetic(ins, args);
        value.follows_time = follows_time;
        value
    }

    fn arithmetic(&mut self, ins: &Instruction, args: [u32; 3]) -> LaneValue {
        match ins.opcode {
            Opcode::Copy => self.single(args[0]),
            Opcode::Unary(op) => {
                let a = self.single(args[0]);
                let inline = op.inline(&mut self.lane(Lanes::One), a);
                inline.unwrap_or_else(|| self.call(self.one_to_one, call::unary(op), &[a]))
            }
            Opcode::Binary(op) => {
                let (a, b) = (self.single(args[0]), self.single(args[1]));
                self.binary(op, a, b)
            }
            Opcode::Select => {
                let on = self.single(args[0]);
                if let Some(truth) = self.lane(Lanes::One).known_truth(on) {
                    return self.single(if truth { args[1] } else { args[2] });
                }
                let [yes, no] = [args[1], args[2]].map(|cell| self.single(cell));
                self.lane(Lanes::One).select(on, yes, no)
            }
            Opcode::Precomputed(array) => plain(self.b.ins().load(F64, memory(), self.this_step, Self::offset(array))),
            Opcode::Hit(sample) => self.is_hit(sample),
            Opcode::Count(sample) => {
                let count = self.count(sample);
                plain(self.b.ins().fcvt_from_uint(F64, count))
            }
            Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) => {
                let step = self.b.ins().fcvt_from_sint(F64, self.step);
                self.clock(ins.opcode, step, Lanes::One)
            }
            Opcode::Fold(_)
            | Opcode::Pick { .. }
            | Opcode::Past(_)
            | Opcode::Recorded { .. }
            | Opcode::Push(_)
            | Opcode::Fill(_)
            | Opcode::Branch(_)
            | Opcode::Random { .. }
            | Opcode::Solve { .. }
            | Opcode::AlgebraicLoop { .. }
            | Opcode::Call { .. }
            | Opcode::RefuseNonFinite
            | Opcode::LimitRuns
            | Opcode::Exchange(_) => {
                panic!("the plan leaves {:?} to others", ins.opcode)
            }
        }
    }

    /// Selects one of `count` elements in memory. The index is limited as a conversion that saturates would; of
    /// not-a-number it is 0.
    fn pick(&mut self, ins: &Instruction, count: u32, element: u32) -> LaneValue {
        let index = self.single(ins.args[1].cell(&self.code.tables, element));
        let from = ins.args[0];
        let last = f64::from(count - 1);
        if let Some(index) = index.constant {
            return self.single(from.cell(&self.code.tables, (index as usize).min(count as usize - 1) as u32));
        }
        let mut lane = self.lane(Lanes::One);
        let (zero, last) = (lane.constant(0.0), lane.constant(last));
        let is_above = lane.compare(Relation::Gt, index, zero);
        let index = lane.choose(is_above, index, zero);
        let is_below = lane.compare(Relation::Lt, index, last);
        let index = lane.choose(is_below, index, last);
        let index = first(&mut self.b, index.value);
        let index = self.b.ins().fcvt_to_sint_sat(I64, index);
        let value = match from {
            Operand::Broadcast(cell) => return self.single(cell),
            Operand::Contiguous(at) => {
                let bytes = self.b.ins().ishl_imm_u(index, 3);
                let base = self.b.ins().iadd(self.cells, bytes);
                self.b.ins().load(F64, memory(), base, Self::offset(at))
            }
            Operand::Gather(at) => {
                let table = self.b.ins().iconst(I64, self.code.tables.as_ptr() as i64);
                let bytes = self.b.ins().ishl_imm_u(index, 2);
                let entry = self.b.ins().iadd(table, bytes);
                let cell = self.b.ins().uload32(memory(), entry, (at * 4) as i32);
                let bytes = self.b.ins().ishl_imm_u(cell, 3);
                let base = self.b.ins().iadd(self.cells, bytes);
                self.b.ins().load(F64, memory(), base, 0)
            }
        };
        plain(value)
    }

    /// As [`SampleTime::is_hit`].
    fn is_hit(&mut self, sample: SampleTime) -> LaneValue {
        let mut since = self.step;
        if sample.offset > 0 {
            since = self.b.ins().iadd_imm_s(since, -(sample.offset as i64));
        }
        let mut is_hit = self.is_multiple(since, sample.period);
        // Steps are counted from 0.
        if sample.offset > 0 {
            let zero = self.b.ins().iconst(I64, 0);
            let has_begun = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, since, zero);
            is_hit = self.b.ins().band(is_hit, has_begun);
        }
        self.lane(Lanes::One).number_of_flag(is_hit)
    }

    /// Returns 1 if the number is a multiple of another, else 0, without a remainder (Granlund and Montgomery, "Division by
    /// Invariant Integers using Multiplication", 1994, section 9): times the inverse of the odd factor, multiples become
    /// their quotients, all others become greater; the rotation makes those great that the power of 2 does not divide.
    fn is_multiple(&mut self, number: Value, of: u64) -> Value {
        let power = of.trailing_zeros();
        let odd = of >> power;
        // Each round doubles the number of bits that are right, of which the first guess has three.
        let inverse = (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse))));
        let inverse = self.b.ins().iconst(I64, inverse as i64);
        let product = self.b.ins().imul(number, inverse);
        let power = self.b.ins().iconst(I64, i64::from(power));
        let quotient = self.b.ins().rotr(product, power);
        let most = self.b.ins().iconst(I64, (u64::MAX / of) as i64);
        self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, quotient, most)
    }

    /// As [`SampleTime::count`].
    fn count(&mut self, sample: SampleTime) -> Value {
        let since = self.b.ins().iadd_imm_s(self.step, -(sample.offset as i64));
        let zero = self.b.ins().iconst(I64, 0);
        let since = self.b.ins().smax(since, zero);
        let period = self.b.ins().iconst(I64, sample.period as i64);
        self.b.ins().udiv(since, period)
    }

    /// Generates the value of a clock opcode for one step, or for two.
    pub fn clock(&mut self, opcode: Opcode, step: Value, lanes: Lanes) -> LaneValue {
        let delta = self.code.delta;
        let mut lane = self.lane(lanes);
        let mut time = plain(step);
        if let Opcode::StageTime(part) = opcode
            && part != 0.0
        {
            let part = lane.constant(part);
            time = lane.add(time, part);
        }
        if opcode != Opcode::Step {
            let delta = lane.constant(delta);
            time = lane.mul(time, delta);
        }
        time
    }

    pub fn binary(&mut self, op: Binary, a: LaneValue, b: LaneValue) -> LaneValue {
        let inline = op.inline(&mut self.lane(Lanes::One), a, b);
        inline.unwrap_or_else(|| self.call(self.two_to_one, call::binary(op), &[a, b]))
    }

    fn call(&mut self, signature: SigRef, address: usize, args: &[LaneValue]) -> LaneValue {
        let args: Vec<Value> = args.iter().map(|lane| first(&mut self.b, lane.value)).collect();
        let function = self.b.ins().iconst(I64, address as i64);
        let call = self.b.ins().call_indirect(signature, function, &args);
        plain(self.b.inst_results(call)[0])
    }
}
