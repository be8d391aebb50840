//! Arithmetic in registers, on one SIMD lane or two; the same results as [`crate::block::math`].

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64, F64X2, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use cranelift_frontend::FunctionBuilder;

use crate::block::{Binary, Unary};

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
    pub fn constant(&mut self, value: f64) -> Value {
        let single = self.b.ins().f64const(value);
        if self.is_pair { self.b.ins().splat(F64X2, single) } else { single }
    }

    fn compare(&mut self, cc: FloatCC, a: Value, b: Value) -> LaneValue {
        let truth = self.b.ins().fcmp(cc, a, b);
        self.lane_of(truth)
    }

    /// Converts a comparison to 1 or 0.
    pub fn lane_of(&mut self, truth: Value) -> LaneValue {
        let one = self.constant(1.0);
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

    /// Generates whether a value is not zero; NaN is not zero.
    fn truth(&mut self, lane: LaneValue) -> Value {
        let zero = self.constant(0.0);
        lane.truth.unwrap_or_else(|| self.b.ins().fcmp(FloatCC::NotEqual, lane.value, zero))
    }

    /// An operation on the bits of two numbers.
    fn bits(&mut self, op: impl Fn(&mut FunctionBuilder, Value, Value) -> Value, a: Value, b: Value) -> Value {
        let (float, int) = if self.is_pair { (F64X2, I64X2) } else { (F64, I64) };
        let [a, b] = [a, b].map(|value| self.b.ins().bitcast(int, MemFlagsData::new(), value));
        let value = op(self.b, a, b);
        self.b.ins().bitcast(float, MemFlagsData::new(), value)
    }

    fn choose(&mut self, truth: Value, yes: Value, no: Value) -> Value {
        if self.is_pair {
            let mask = self.b.ins().bitcast(F64X2, MemFlagsData::new(), truth);
            self.b.ins().bitselect(mask, yes, no)
        } else {
            self.b.ins().select(truth, yes, no)
        }
    }

    pub fn select(&mut self, on: LaneValue, yes: LaneValue, no: LaneValue) -> LaneValue {
        let truth = self.truth(on);
        plain(self.choose(truth, yes.value, no.value))
    }

    /// Generates an operation; none if it is not inlined.
    pub fn unary(&mut self, op: Unary, a: LaneValue) -> Option<LaneValue> {
        let x = a.value;
        Some(match op {
            Unary::Neg => plain(self.b.ins().fneg(x)),
            Unary::Abs => plain(self.b.ins().fabs(x)),
            Unary::Sqrt => plain(self.b.ins().sqrt(x)),
            Unary::Floor => plain(self.b.ins().floor(x)),
            Unary::Ceil => plain(self.b.ins().ceil(x)),
            Unary::Trunc => plain(self.b.ins().trunc(x)),
            // Rounds halves away from zero: adding the predecessor of 1/2 carries halves to the next number, but
            // nothing less.
            Unary::Round => {
                let (sign, below_half) = (self.constant(-0.0), self.constant(0.5f64.next_down()));
                let sign = self.bits(|b, x, sign| b.ins().band(x, sign), x, sign);
                let half = self.bits(|b, half, sign| b.ins().bor(half, sign), below_half, sign);
                let carried = self.b.ins().fadd(x, half);
                plain(self.b.ins().trunc(carried))
            }
            Unary::Sign => {
                let (zero, one, minus) = (self.constant(0.0), self.constant(1.0), self.constant(-1.0));
                let below = self.b.ins().fcmp(FloatCC::LessThan, x, zero);
                let not_above = self.choose(below, minus, x);
                let above = self.b.ins().fcmp(FloatCC::GreaterThan, x, zero);
                plain(self.choose(above, one, not_above))
            }
            Unary::Not => {
                let zero = self.constant(0.0);
                self.compare(FloatCC::Equal, x, zero)
            }
            Unary::IsNan => self.compare(FloatCC::Unordered, x, x),
            Unary::IsInf | Unary::IsFinite => {
                let (size, infinity) = (self.b.ins().fabs(x), self.constant(f64::INFINITY));
                let cc = if op == Unary::IsInf { FloatCC::Equal } else { FloatCC::LessThan };
                self.compare(cc, size, infinity)
            }
            _ => return None,
        })
    }

    /// Generates an operation; none if it is not inlined.
    pub fn binary(&mut self, op: Binary, left: LaneValue, right: LaneValue) -> Option<LaneValue> {
        let (a, b) = (left.value, right.value);
        Some(match op {
            Binary::Add => plain(self.b.ins().fadd(a, b)),
            Binary::Sub => plain(self.b.ins().fsub(a, b)),
            Binary::Mul => plain(self.b.ins().fmul(a, b)),
            Binary::Div => plain(self.b.ins().fdiv(a, b)),
            Binary::Min => plain(self.extreme(FloatCC::LessThanOrEqual, a, b)),
            Binary::Max => plain(self.extreme(FloatCC::GreaterThanOrEqual, a, b)),
            Binary::Lt => self.compare(FloatCC::LessThan, a, b),
            Binary::Le => self.compare(FloatCC::LessThanOrEqual, a, b),
            Binary::Gt => self.compare(FloatCC::GreaterThan, a, b),
            Binary::Ge => self.compare(FloatCC::GreaterThanOrEqual, a, b),
            Binary::Eq => self.compare(FloatCC::Equal, a, b),
            Binary::Ne => self.compare(FloatCC::NotEqual, a, b),
            Binary::And | Binary::Or | Binary::Xor => {
                let (a, b) = (self.truth(left), self.truth(right));
                let both = match op {
                    Binary::And => self.b.ins().band(a, b),
                    Binary::Or => self.b.ins().bor(a, b),
                    _ => self.b.ins().bxor(a, b),
                };
                self.lane_of(both)
            }
            Binary::Pow | Binary::Atan2 | Binary::Hypot | Binary::Rem | Binary::Mod => return None,
        })
    }

    /// Selects the first operand if it is NaN or meets the comparison, else the second.
    fn extreme(&mut self, cc: FloatCC, a: Value, b: Value) -> Value {
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, a, a);
        let meets = self.b.ins().fcmp(cc, a, b);
        let is_first = self.b.ins().bor(is_nan, meets);
        self.choose(is_first, a, b)
    }
}

pub(super) fn plain(value: Value) -> LaneValue {
    LaneValue { value, truth: None }
}
