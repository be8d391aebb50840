//! Arithmetic in registers, on one SIMD lane or two; the same results as [`crate::block::math`].
//!
//! A single number is computed in both lanes of a register: comparisons and choices of scalars would become branches,
//! which are predicted badly where signals change, and a scalar that takes part in one of a pair would have to be moved
//! there first.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64, F64X2, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value};
use cranelift_frontend::FunctionBuilder;

use crate::block::math::{Arithmetic, Relation, Scalar};

/// A result; if it is 0 or 1, with the comparison that produced it, and if the code is made for its value, that.
#[derive(Clone, Copy)]
pub(super) struct LaneValue {
    pub value: Value,
    truth: Option<Truth>,
    pub constant: Option<f64>,
}

/// A mask of two lanes, of which a scalar reads the first, or a known truth.
#[derive(Clone, Copy)]
pub(super) enum Truth {
    Mask(Value),
    Known(bool),
}

/// What the lanes of a register hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// A scalar register.
    One,
    /// The same number twice.
    Same,
    /// Two numbers.
    Two,
}

/// Generates arithmetic.
pub(super) struct LaneEmitter<'a, 'f> {
    pub b: &'a mut FunctionBuilder<'f>,
    pub lanes: Lanes,
}

impl LaneEmitter<'_, '_> {
    fn float(&self) -> Type {
        if self.lanes == Lanes::One { F64 } else { F64X2 }
    }

    /// Applies an instruction to the bits of two numbers.
    fn bits(&mut self, op: impl Fn(&mut FunctionBuilder, Value, Value) -> Value, a: Value, b: Value) -> Value {
        let int = if self.lanes == Lanes::One { I64 } else { I64X2 };
        let [a, b] = [a, b].map(|value| self.b.ins().bitcast(int, MemFlagsData::new(), value));
        let value = op(self.b, a, b);
        let float = self.float();
        self.b.ins().bitcast(float, MemFlagsData::new(), value)
    }

    /// Returns a number as a pair. A single one shares its register with the pair, whose other lane nobody reads.
    fn pair(&mut self, value: Value) -> Value {
        if self.lanes == Lanes::One { self.b.ins().scalar_to_vector(F64X2, value) } else { value }
    }

    fn unpaired(&mut self, pair: Value) -> Value {
        if self.lanes == Lanes::One { self.b.ins().extractlane(pair, 0) } else { pair }
    }

    /// Returns the truth of an integer comparison.
    pub fn truth(&mut self, flag: Value) -> Truth {
        let mask = self.b.ins().bmask(I64, flag);
        Truth::Mask(self.b.ins().splat(I64X2, mask))
    }

    /// The result of an operation on constants, if both are known; not-a-number is left to the processor, which decides
    /// whose bits it has.
    fn folded(&mut self, a: LaneValue, b: LaneValue, op: impl Fn(f64, f64) -> f64) -> Option<LaneValue> {
        let value = op(a.constant?, b.constant?);
        (!value.is_nan()).then(|| self.constant(value))
    }

    /// `yes` where `on` is nonzero, else `no`.
    pub fn select(&mut self, on: LaneValue, yes: LaneValue, no: LaneValue) -> LaneValue {
        let truth = self.is_nonzero(on);
        self.choose(truth, yes, no)
    }
}

impl Arithmetic for LaneEmitter<'_, '_> {
    type Number = LaneValue;
    type Truth = Truth;

    fn constant(&mut self, value: f64) -> LaneValue {
        let known = match self.lanes {
            Lanes::One => self.b.ins().f64const(value),
            Lanes::Same | Lanes::Two => {
                let bits = [value.to_bits().to_le_bytes(); 2].concat();
                let pair = self.b.func.dfg.constants.insert(bits.into());
                self.b.ins().vconst(F64X2, pair)
            }
        };
        LaneValue { constant: Some(value), ..plain(known) }
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
        self.folded(a, b, |a, b| a + b).unwrap_or_else(|| plain(self.b.ins().fadd(a.value, b.value)))
    }

    fn sub(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        self.folded(a, b, |a, b| a - b).unwrap_or_else(|| plain(self.b.ins().fsub(a.value, b.value)))
    }

    fn mul(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        self.folded(a, b, |a, b| a * b).unwrap_or_else(|| plain(self.b.ins().fmul(a.value, b.value)))
    }

    fn div(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        self.folded(a, b, |a, b| a / b).unwrap_or_else(|| plain(self.b.ins().fdiv(a.value, b.value)))
    }

    fn compare(&mut self, relation: Relation, a: LaneValue, b: LaneValue) -> Truth {
        if let (Some(a), Some(b)) = (a.constant, b.constant) {
            return Truth::Known(Scalar.compare(relation, a, b));
        }
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
        Truth::Mask(self.b.ins().fcmp(condition, a, b))
    }

    fn is_nonzero(&mut self, a: LaneValue) -> Truth {
        if let (None, Some(truth)) = (a.constant, a.truth) {
            return truth;
        }
        let zero = self.constant(0.0);
        self.compare(Relation::Ne, a, zero)
    }

    fn and(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Known(false), _) | (_, Truth::Known(false)) => Truth::Known(false),
            (Truth::Known(true), other) | (other, Truth::Known(true)) => other,
            (Truth::Mask(a), Truth::Mask(b)) => Truth::Mask(self.b.ins().band(a, b)),
        }
    }

    fn or(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Known(true), _) | (_, Truth::Known(true)) => Truth::Known(true),
            (Truth::Known(false), other) | (other, Truth::Known(false)) => other,
            (Truth::Mask(a), Truth::Mask(b)) => Truth::Mask(self.b.ins().bor(a, b)),
        }
    }

    fn xor(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Known(false), other) | (other, Truth::Known(false)) => other,
            (Truth::Known(true), Truth::Known(true)) => Truth::Known(false),
            (Truth::Known(true), Truth::Mask(mask)) | (Truth::Mask(mask), Truth::Known(true)) => {
                Truth::Mask(self.b.ins().bnot(mask))
            }
            (Truth::Mask(a), Truth::Mask(b)) => Truth::Mask(self.b.ins().bxor(a, b)),
        }
    }

    fn number(&mut self, truth: Truth) -> LaneValue {
        let mask = match truth {
            Truth::Known(truth) => return self.constant(f64::from(u8::from(truth))),
            Truth::Mask(mask) => mask,
        };
        let bits = MemFlagsData::new();
        let one = self.constant(1.0).value;
        let one = self.pair(one);
        let one = self.b.ins().bitcast(I64X2, bits, one);
        let kept = self.b.ins().band(mask, one);
        let pair = self.b.ins().bitcast(F64X2, bits, kept);
        LaneValue { truth: Some(truth), ..plain(self.unpaired(pair)) }
    }

    fn choose(&mut self, truth: Truth, yes: LaneValue, no: LaneValue) -> LaneValue {
        let mask = match truth {
            Truth::Known(true) => return yes,
            Truth::Known(false) => return no,
            Truth::Mask(mask) => mask,
        };
        let mask = self.b.ins().bitcast(F64X2, MemFlagsData::new(), mask);
        let [yes, no] = [yes, no].map(|lane| self.pair(lane.value));
        let pair = self.b.ins().bitselect(mask, yes, no);
        plain(self.unpaired(pair))
    }

    /// For a single number a branch, which costs nothing where it is never taken.
    fn nan_or(&mut self, a: LaneValue, otherwise: LaneValue) -> LaneValue {
        if let Some(constant) = a.constant {
            return if constant.is_nan() { a } else { otherwise };
        }
        if self.lanes == Lanes::Two {
            let is_nan = self.compare(Relation::Unordered, a, a);
            return self.choose(is_nan, a, otherwise);
        }
        let single = first(self.b, a.value);
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, single, single);
        plain(self.b.ins().select(is_nan, a.value, otherwise.value))
    }
}

/// Returns the first lane of a register.
pub(super) fn first(b: &mut FunctionBuilder, value: Value) -> Value {
    if b.func.dfg.value_type(value) == F64 { value } else { b.ins().extractlane(value, 0) }
}

pub(super) fn plain(value: Value) -> LaneValue {
    LaneValue { value, truth: None, constant: None }
}
