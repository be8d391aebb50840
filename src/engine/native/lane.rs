//! Arithmetic in registers, on one SIMD lane or two; the same results as [`crate::block::math`].

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64, F64X2, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value};
use cranelift_frontend::FunctionBuilder;

use crate::block::math::{Arithmetic, Relation};

/// A result; if it is 0 or 1, with the comparison that produced it.
#[derive(Clone, Copy)]
pub(super) struct LaneValue {
    pub value: Value,
    pub truth: Option<Value>,
}

/// Generates arithmetic on scalars or on SIMD pairs.
pub(super) struct LaneEmitter<'a, 'f> {
    pub b: &'a mut FunctionBuilder<'f>,
    pub is_pair: bool,
}

impl LaneEmitter<'_, '_> {
    fn float(&self) -> Type {
        if self.is_pair { F64X2 } else { F64 }
    }

    /// Applies an instruction to the bits of two numbers.
    fn bits(&mut self, op: impl Fn(&mut FunctionBuilder, Value, Value) -> Value, a: Value, b: Value) -> Value {
        let int = if self.is_pair { I64X2 } else { I64 };
        let [a, b] = [a, b].map(|value| self.b.ins().bitcast(int, MemFlagsData::new(), value));
        let value = op(self.b, a, b);
        let float = self.float();
        self.b.ins().bitcast(float, MemFlagsData::new(), value)
    }

    /// `yes` where `on` is nonzero, else `no`.
    pub fn select(&mut self, on: LaneValue, yes: LaneValue, no: LaneValue) -> LaneValue {
        let truth = self.is_nonzero(on);
        self.choose(truth, yes, no)
    }
}

impl Arithmetic for LaneEmitter<'_, '_> {
    type Number = LaneValue;
    type Truth = Value;

    fn constant(&mut self, value: f64) -> LaneValue {
        let single = self.b.ins().f64const(value);
        plain(if self.is_pair { self.b.ins().splat(F64X2, single) } else { single })
    }

    fn neg(&mut self, a: LaneValue) -> LaneValue {
        plain(self.b.ins().fneg(a.value))
    }

    fn abs(&mut self, a: LaneValue) -> LaneValue {
        plain(self.b.ins().fabs(a.value))
    }

    fn sqrt(&mut self, a: LaneValue) -> LaneValue {
        plain(self.b.ins().sqrt(a.value))
    }

    fn floor(&mut self, a: LaneValue) -> LaneValue {
        plain(self.b.ins().floor(a.value))
    }

    fn ceil(&mut self, a: LaneValue) -> LaneValue {
        plain(self.b.ins().ceil(a.value))
    }

    /// Adds the number just below 1/2 and truncates: halves are carried over, but nothing less.
    fn round(&mut self, a: LaneValue) -> LaneValue {
        let (sign, below_half) = (self.constant(-0.0).value, self.constant(0.5f64.next_down()).value);
        let sign = self.bits(|b, a, sign| b.ins().band(a, sign), a.value, sign);
        let half = self.bits(|b, half, sign| b.ins().bor(half, sign), below_half, sign);
        let carried = self.b.ins().fadd(a.value, half);
        plain(self.b.ins().trunc(carried))
    }

    fn trunc(&mut self, a: LaneValue) -> LaneValue {
        plain(self.b.ins().trunc(a.value))
    }

    fn add(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        plain(self.b.ins().fadd(a.value, b.value))
    }

    fn sub(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        plain(self.b.ins().fsub(a.value, b.value))
    }

    fn mul(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        plain(self.b.ins().fmul(a.value, b.value))
    }

    fn div(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        plain(self.b.ins().fdiv(a.value, b.value))
    }

    fn compare(&mut self, relation: Relation, a: LaneValue, b: LaneValue) -> Value {
        let condition = match relation {
            Relation::Lt => FloatCC::LessThan,
            Relation::Le => FloatCC::LessThanOrEqual,
            Relation::Gt => FloatCC::GreaterThan,
            Relation::Ge => FloatCC::GreaterThanOrEqual,
            Relation::Eq => FloatCC::Equal,
            Relation::Ne => FloatCC::NotEqual,
            Relation::Unordered => FloatCC::Unordered,
        };
        self.b.ins().fcmp(condition, a.value, b.value)
    }

    fn is_nonzero(&mut self, a: LaneValue) -> Value {
        let zero = self.constant(0.0).value;
        a.truth.unwrap_or_else(|| self.b.ins().fcmp(FloatCC::NotEqual, a.value, zero))
    }

    fn and(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().band(a, b)
    }

    fn or(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bor(a, b)
    }

    fn xor(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bxor(a, b)
    }

    fn number(&mut self, truth: Value) -> LaneValue {
        let one = self.constant(1.0).value;
        let bits = MemFlagsData::new();
        let value = if self.is_pair {
            let one = self.b.ins().bitcast(I64X2, bits, one);
            let kept = self.b.ins().band(truth, one);
            self.b.ins().bitcast(F64X2, bits, kept)
        } else {
            let one = self.b.ins().iconst(I64, 1f64.to_bits() as i64);
            let mask = self.b.ins().bmask(I64, truth);
            let kept = self.b.ins().band(mask, one);
            self.b.ins().bitcast(F64, bits, kept)
        };
        LaneValue { value, truth: Some(truth) }
    }

    fn choose(&mut self, truth: Value, yes: LaneValue, no: LaneValue) -> LaneValue {
        plain(if self.is_pair {
            let mask = self.b.ins().bitcast(F64X2, MemFlagsData::new(), truth);
            self.b.ins().bitselect(mask, yes.value, no.value)
        } else {
            self.b.ins().select(truth, yes.value, no.value)
        })
    }
}

pub(super) fn plain(value: Value) -> LaneValue {
    LaneValue { value, truth: None }
}
