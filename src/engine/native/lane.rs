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

    /// Returns a number as a pair. A single one shares its register with the pair, whose other lane nobody reads.
    ///
    /// Comparisons and choices are made on pairs: those of scalars become branches, which are predicted badly where
    /// signals change.
    fn pair(&mut self, value: Value) -> Value {
        if self.is_pair { value } else { self.b.ins().scalar_to_vector(F64X2, value) }
    }

    fn unpaired(&mut self, pair: Value) -> Value {
        if self.is_pair { pair } else { self.b.ins().extractlane(pair, 0) }
    }

    /// Returns the mask of an integer comparison.
    pub fn mask(&mut self, flag: Value) -> Value {
        let mask = self.b.ins().bmask(I64, flag);
        let mask = self.b.ins().bitcast(F64, MemFlagsData::new(), mask);
        let pair = self.b.ins().scalar_to_vector(F64X2, mask);
        self.b.ins().bitcast(I64X2, MemFlagsData::new(), pair)
    }

    /// `yes` where `on` is nonzero, else `no`.
    pub fn select(&mut self, on: LaneValue, yes: LaneValue, no: LaneValue) -> LaneValue {
        let truth = self.is_nonzero(on);
        self.choose(truth, yes, no)
    }
}

impl Arithmetic for LaneEmitter<'_, '_> {
    type Number = LaneValue;
    /// A mask of two lanes, of which a scalar reads the first.
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
        let [a, b] = [a, b].map(|lane| self.pair(lane.value));
        self.b.ins().fcmp(condition, a, b)
    }

    fn is_nonzero(&mut self, a: LaneValue) -> Value {
        let zero = self.constant(0.0).value;
        a.truth.unwrap_or_else(|| self.compare(Relation::Ne, a, plain(zero)))
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
        let bits = MemFlagsData::new();
        let one = self.constant(1.0).value;
        let one = self.pair(one);
        let one = self.b.ins().bitcast(I64X2, bits, one);
        let kept = self.b.ins().band(truth, one);
        let pair = self.b.ins().bitcast(F64X2, bits, kept);
        LaneValue { value: self.unpaired(pair), truth: Some(truth) }
    }

    fn choose(&mut self, truth: Value, yes: LaneValue, no: LaneValue) -> LaneValue {
        let mask = self.b.ins().bitcast(F64X2, MemFlagsData::new(), truth);
        let [yes, no] = [yes, no].map(|lane| self.pair(lane.value));
        let pair = self.b.ins().bitselect(mask, yes, no);
        plain(self.unpaired(pair))
    }

    /// For scalars a branch, which costs nothing where it is never taken.
    fn nan_or(&mut self, a: LaneValue, otherwise: LaneValue) -> LaneValue {
        if self.is_pair {
            let is_nan = self.compare(Relation::Unordered, a, a);
            return self.choose(is_nan, a, otherwise);
        }
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, a.value, a.value);
        plain(self.b.ins().select(is_nan, a.value, otherwise.value))
    }
}

pub(super) fn plain(value: Value) -> LaneValue {
    LaneValue { value, truth: None }
}
