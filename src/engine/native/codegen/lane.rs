//! Arithmetic in registers, on one SIMD lane or two; the same results as [`crate::block::math`].
//!
//! Comparisons and choices of single numbers are computed in vector registers, of which the first lane counts: those of
//! scalars would become branches, which are predicted badly where signals change. Their results stay there; what is
//! loaded, and sums and products of it, are scalars, whose instructions can read memory. A choice that time alone decides
//! is a branch nevertheless.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32, F64, F64X2, I8, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value};
use cranelift_frontend::FunctionBuilder;

use super::constants::ConstantPairs;
use crate::block::math::{Arithmetic, Relation, Scalar};

/// A result, and the known facts about it.
#[derive(Clone, Copy)]
pub(in crate::engine::native) struct LaneValue {
    /// A scalar, or a vector of which the first lane counts or both.
    pub value: Value,
    /// The comparison that produced it, if it is 0 or 1.
    truth: Option<Truth>,
    /// Its value, if the code is made for that.
    pub constant: Option<f64>,
    /// The minimum and the maximum, if it cannot be anything else.
    range: Option<[f64; 2]>,
    /// Whether it depends only on time and on what no step changes. A branch on it is usually predicted: a source stays
    /// high or low for many steps.
    pub follows_time: bool,
}

/// The result of a comparison, in one form or in both. Forms that are not read are left out.
#[derive(Clone, Copy)]
pub(in crate::engine::native) struct Condition {
    /// All bits of a lane are set where it is true.
    mask: Option<Value>,
    /// An integer that is 1 or 0; of single numbers only.
    flag: Option<Value>,
}

/// A condition, the contrary of one, or a known truth.
#[derive(Clone, Copy)]
pub(in crate::engine::native) enum Truth {
    Is(Condition),
    Not(Condition),
    Known(bool),
}

impl std::ops::Not for Truth {
    type Output = Truth;

    fn not(self) -> Truth {
        match self {
            Truth::Is(condition) => Truth::Not(condition),
            Truth::Not(condition) => Truth::Is(condition),
            Truth::Known(truth) => Truth::Known(!truth),
        }
    }
}

/// The contents of the lanes of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::native) enum Lanes {
    /// One number, in a scalar or a vector.
    One,
    /// Two numbers in a vector.
    Two,
}

/// Generates arithmetic.
pub(in crate::engine::native) struct LaneEmitter<'a, 'f> {
    pub b: &'a mut FunctionBuilder<'f>,
    pub lanes: Lanes,
    /// Whether a constant that an instruction wants in a register stays in one; otherwise each use rematerializes it
    /// through an integer register.
    pub keeps_constants: bool,
    /// The address of the cells, and the constants that are in memory behind them.
    pub pairs: Option<(Value, &'a mut ConstantPairs)>,
    /// Whether gates are computed in integer registers: there are many, and vector registers would not suffice.
    pub has_flags: bool,
}

impl LaneEmitter<'_, '_> {
    /// Applies an instruction to the bits of numbers in vectors.
    fn bits(&mut self, op: impl Fn(&mut FunctionBuilder, Value, Value) -> Value, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|value| self.b.ins().bitcast(I64X2, MemFlagsData::new(), value));
        let value = op(self.b, a, b);
        self.b.ins().bitcast(F64X2, MemFlagsData::new(), value)
    }

    /// Returns a number in a vector.
    fn pair(&mut self, lane: LaneValue) -> Value {
        match lane.constant {
            Some(constant) if self.pairs.is_some() => self.constant_pair(constant, F64X2),
            _ if is_scalar(self.b, lane.value) => self.b.ins().scalar_to_vector(F64X2, lane.value),
            _ => lane.value,
        }
    }

    /// Returns a constant in both lanes of a vector.
    fn constant_pair(&mut self, value: f64, as_type: Type) -> Value {
        if let Some((cells, pairs)) = &mut self.pairs {
            let offset = pairs.offset(value);
            return self.b.ins().load(as_type, MemFlagsData::new().with_notrap(), *cells, offset);
        }
        let bits = [value.to_bits().to_le_bytes(); 2].concat();
        let pair = self.b.func.dfg.constants.insert(bits.into());
        self.b.ins().vconst(as_type, pair)
    }

    /// Returns 1 or 0 by an integer comparison.
    pub fn number_of_flag(&mut self, flag: Value) -> LaneValue {
        let mask = Some(self.mask_of(Condition { mask: None, flag: Some(flag) }));
        self.number(Truth::Is(Condition { mask, flag: Some(flag) }))
    }

    /// Returns a condition as a mask.
    fn mask_of(&mut self, condition: Condition) -> Value {
        match condition {
            Condition { mask: Some(mask), .. } => mask,
            Condition { flag: Some(flag), .. } => {
                let bits = self.b.ins().bmask(I64, flag);
                self.b.ins().scalar_to_vector(I64X2, bits)
            }
            Condition { mask: None, flag: None } => panic!("a condition has a form"),
        }
    }

    /// Returns a condition of single numbers as an integer.
    fn flag_of(&mut self, condition: Condition) -> Value {
        match condition {
            Condition { flag: Some(flag), .. } => flag,
            Condition { mask: Some(mask), .. } => {
                let bits = self.b.ins().extractlane(mask, 0);
                self.b.ins().icmp_imm_u(IntCC::NotEqual, bits, 0)
            }
            Condition { mask: None, flag: None } => panic!("a condition has a form"),
        }
    }

    /// Applies an instruction to the bits of two conditions.
    fn gate(
        &mut self,
        a: Condition,
        b: Condition,
        op: impl Fn(&mut FunctionBuilder, Value, Value) -> Value,
    ) -> Condition {
        if self.has_flags && self.lanes == Lanes::One {
            let [a, b] = [a, b].map(|condition| self.flag_of(condition));
            return Condition { mask: None, flag: Some(op(self.b, a, b)) };
        }
        let [a, b] = [a, b].map(|condition| self.mask_of(condition));
        Condition { mask: Some(op(self.b, a, b)), flag: None }
    }

    /// The type in which a number that is 0 or 1 is carried from step to step.
    pub fn carried_type(&self) -> Type {
        if self.has_flags { I8 } else { I64X2 }
    }

    /// Returns a number that is 0 or 1 as it is carried.
    pub fn carried(&mut self, a: LaneValue) -> Value {
        let truth = a.truth.unwrap_or_else(|| self.is_nonzero(a));
        match (truth, self.has_flags) {
            (Truth::Is(condition), true) => self.flag_of(condition),
            (Truth::Is(condition), false) => self.mask_of(condition),
            (Truth::Not(condition), true) => {
                let flag = self.flag_of(condition);
                self.contrary(flag)
            }
            (Truth::Not(condition), false) => {
                let mask = self.mask_of(condition);
                self.b.ins().bnot(mask)
            }
            (Truth::Known(truth), true) => self.b.ins().iconst(I8, i64::from(truth)),
            (Truth::Known(truth), false) => {
                let bits = [[if truth { u8::MAX } else { 0 }; 8]; 2].concat();
                let mask = self.b.func.dfg.constants.insert(bits.into());
                self.b.ins().vconst(I64X2, mask)
            }
        }
    }

    /// Returns the number that is carried as [`LaneEmitter::carried`].
    pub fn number_of_carried(&mut self, value: Value) -> LaneValue {
        let condition = match self.has_flags {
            true => Condition { mask: None, flag: Some(value) },
            false => Condition { mask: Some(value), flag: None },
        };
        self.number(Truth::Is(condition))
    }

    /// Returns 1 for 0 and 0 for 1.
    fn contrary(&mut self, flag: Value) -> Value {
        let one = self.b.ins().iconst(I8, 1);
        self.b.ins().bxor(flag, one)
    }

    /// Returns a number as a scalar.
    fn scalar(&mut self, lane: LaneValue) -> Value {
        match lane.constant {
            Some(constant) => self.b.ins().f64const(constant),
            None => first(self.b, lane.value),
        }
    }

    /// Whether a number is nonzero, if that is known.
    pub fn known_truth(&mut self, a: LaneValue) -> Option<bool> {
        if let Truth::Known(truth) = self.is_nonzero(a) { Some(truth) } else { None }
    }

    /// Computes in vectors if the operands that are not constant are in some, otherwise in scalars.
    fn arithmetic(
        &mut self,
        [a, b]: [LaneValue; 2],
        value: impl Fn(f64, f64) -> f64,
        op: impl Fn(&mut FunctionBuilder, Value, Value) -> Value,
    ) -> LaneValue {
        if let (Some(a), Some(b)) = (a.constant, b.constant) {
            let value = value(a, b);
            // Whose bits not-a-number has is left to the processor.
            if !value.is_nan() {
                return self.constant(value);
            }
        }
        let is_scalar = |lane: LaneValue| lane.constant.is_none() && is_scalar(self.b, lane.value);
        if self.lanes == Lanes::Two || !is_scalar(a) && !is_scalar(b) {
            return plain(op(self.b, a.value, b.value));
        }
        // The second operand of an instruction can be a constant in memory.
        let last = match b.constant {
            Some(constant) => self.b.ins().f64const(constant),
            None => first(self.b, b.value),
        };
        let a = match a.constant {
            Some(constant) if !self.keeps_constants => self.b.ins().f64const(constant),
            _ => first(self.b, a.value),
        };
        plain(op(self.b, a, last))
    }

    /// Computes an operation that changes the sign alone.
    fn sign(
        &mut self,
        a: LaneValue,
        value: impl Fn(f64) -> f64,
        op: impl Fn(&mut FunctionBuilder, Value) -> Value,
    ) -> LaneValue {
        match a.constant {
            Some(constant) => self.constant(value(constant)),
            None => plain(op(self.b, a.value)),
        }
    }

    /// `yes` where `on` is nonzero, else `no`. Of single numbers, when time alone decides, this is a branch: what reads the
    /// result does not wait for the comparison.
    pub fn select(&mut self, on: LaneValue, yes: LaneValue, no: LaneValue) -> LaneValue {
        let truth = self.is_nonzero(on);
        let (condition, [yes, no]) = match truth {
            Truth::Is(condition) if on.follows_time && self.lanes == Lanes::One => (condition, [yes, no]),
            Truth::Not(condition) if on.follows_time && self.lanes == Lanes::One => (condition, [no, yes]),
            _ => return self.choose(truth, yes, no),
        };
        let is_on = self.flag_of(condition);
        let range = either(yes, no);
        let [yes, no] = [yes, no].map(|lane| first(self.b, lane.value));
        LaneValue { range, ..plain(self.b.ins().select(is_on, yes, no)) }
    }
}

impl Arithmetic for LaneEmitter<'_, '_> {
    type Number = LaneValue;
    type Truth = Truth;

    fn constant(&mut self, value: f64) -> LaneValue {
        let bits = [value.to_bits().to_le_bytes(); 2].concat();
        let pair = self.b.func.dfg.constants.insert(bits.into());
        let pair = self.b.ins().vconst(F64X2, pair);
        let range = (!value.is_nan()).then_some([value; 2]);
        LaneValue { constant: Some(value), range, follows_time: true, ..plain(pair) }
    }

    fn neg(&mut self, a: LaneValue) -> LaneValue {
        self.sign(a, |a| -a, |b, a| b.ins().fneg(a))
    }

    fn abs(&mut self, a: LaneValue) -> LaneValue {
        self.sign(a, f64::abs, |b, a| b.ins().fabs(a))
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
        let [sign, below_half] = [-0.0, 0.5f64.next_down()].map(|value| self.constant(value).value);
        let pair = self.pair(a);
        let sign = self.bits(|b, a, sign| b.ins().band(a, sign), pair, sign);
        let half = self.bits(|b, half, sign| b.ins().bor(half, sign), below_half, sign);
        let carried = self.b.ins().fadd(pair, half);
        plain(self.b.ins().trunc(carried))
    }

    fn trunc(&mut self, a: LaneValue) -> LaneValue {
        plain(self.b.ins().trunc(a.value))
    }

    fn single(&mut self, a: LaneValue) -> LaneValue {
        if self.b.func.dfg.value_type(a.value) == F64 {
            let single = self.b.ins().fdemote(F32, a.value);
            return plain(self.b.ins().fpromote(F64, single));
        }
        let single = self.b.ins().fvdemote(a.value);
        plain(self.b.ins().fvpromote_low(single))
    }

    fn add(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        let sum = self.arithmetic(constant_last(a, b), |a, b| a + b, |b, x, y| b.ins().fadd(x, y));
        let range = match (a.range, b.range) {
            (Some(a), Some(b)) => {
                Some([a[0] + b[0], a[1] + b[1]]).filter(|range| range.iter().all(|end| end.is_finite()))
            }
            _ => None,
        };
        LaneValue { range: sum.range.or(range), ..sum }
    }

    fn sub(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        self.arithmetic([a, b], |a, b| a - b, |b, x, y| b.ins().fsub(x, y))
    }

    fn mul(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        let product = self.arithmetic(constant_last(a, b), |a, b| a * b, |b, x, y| b.ins().fmul(x, y));
        // Of factors that are not negative.
        let range = match (a.range, b.range) {
            (Some(a), Some(b)) if a[0] >= 0.0 && b[0] >= 0.0 => {
                Some([a[0] * b[0], a[1] * b[1]]).filter(|range| range.iter().all(|end| end.is_finite()))
            }
            _ => None,
        };
        LaneValue { range: product.range.or(range), ..product }
    }

    fn div(&mut self, a: LaneValue, b: LaneValue) -> LaneValue {
        self.arithmetic([a, b], |a, b| a / b, |b, x, y| b.ins().fdiv(x, y))
    }

    fn compare(&mut self, relation: Relation, a: LaneValue, b: LaneValue) -> Truth {
        if let Some(truth) = known(relation, a, b) {
            return truth;
        }
        if let (Some(truth), Some(limit)) = (a.truth, b.constant) {
            match [0.0, 1.0].map(|value| Scalar.compare(relation, value, limit)) {
                [false, true] => return truth,
                [true, false] => return !truth,
                [same, _] => return Truth::Known(same),
            }
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
        let flag = (self.lanes == Lanes::One).then(|| {
            let [a, b] = [a, b].map(|lane| self.scalar(lane));
            self.b.ins().fcmp(condition, a, b)
        });
        let [a, b] = [a, b].map(|lane| self.pair(lane));
        Truth::Is(Condition { mask: Some(self.b.ins().fcmp(condition, a, b)), flag })
    }

    fn is_nonzero(&mut self, a: LaneValue) -> Truth {
        let zero = self.constant(0.0);
        self.compare(Relation::Ne, a, zero)
    }

    fn and(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Known(false), _) | (_, Truth::Known(false)) => Truth::Known(false),
            (Truth::Known(true), other) | (other, Truth::Known(true)) => other,
            (Truth::Is(a), Truth::Is(b)) => Truth::Is(self.gate(a, b, |b, x, y| b.ins().band(x, y))),
            (Truth::Is(a), Truth::Not(b)) | (Truth::Not(b), Truth::Is(a)) => Truth::Is(self.gate(a, b, |b, x, y| {
                // Of a flag only the last bit counts, and `x` has no other.
                b.ins().band_not(x, y)
            })),
            (Truth::Not(a), Truth::Not(b)) => Truth::Not(self.gate(a, b, |b, x, y| b.ins().bor(x, y))),
        }
    }

    fn or(&mut self, a: Truth, b: Truth) -> Truth {
        !self.and(!a, !b)
    }

    fn xor(&mut self, a: Truth, b: Truth) -> Truth {
        match (a, b) {
            (Truth::Known(known), other) | (other, Truth::Known(known)) => {
                if known {
                    !other
                } else {
                    other
                }
            }
            (Truth::Is(a), Truth::Is(b)) | (Truth::Not(a), Truth::Not(b)) => {
                Truth::Is(self.gate(a, b, |b, x, y| b.ins().bxor(x, y)))
            }
            (Truth::Is(a), Truth::Not(b)) | (Truth::Not(a), Truth::Is(b)) => {
                Truth::Not(self.gate(a, b, |b, x, y| b.ins().bxor(x, y)))
            }
        }
    }

    fn number(&mut self, truth: Truth) -> LaneValue {
        let (condition, is_not) = match truth {
            Truth::Known(truth) => return self.constant(f64::from(u8::from(truth))),
            Truth::Is(condition) => (condition, false),
            Truth::Not(condition) => (condition, true),
        };
        let value = match condition {
            Condition { mask: None, flag: Some(flag) } => {
                let flag = if is_not { self.contrary(flag) } else { flag };
                let flag = self.b.ins().uextend(I64, flag);
                self.b.ins().fcvt_from_sint(F64, flag)
            }
            _ => {
                let (mask, one) = (self.mask_of(condition), self.constant_pair(1.0, I64X2));
                let kept = if is_not { self.b.ins().band_not(one, mask) } else { self.b.ins().band(mask, one) };
                self.b.ins().bitcast(F64X2, MemFlagsData::new(), kept)
            }
        };
        LaneValue { truth: Some(truth), range: Some([0.0, 1.0]), ..plain(value) }
    }

    fn choose(&mut self, truth: Truth, yes: LaneValue, no: LaneValue) -> LaneValue {
        let mask = match truth {
            Truth::Known(true) => return yes,
            Truth::Known(false) => return no,
            Truth::Not(condition) => return self.choose(Truth::Is(condition), no, yes),
            Truth::Is(condition) => self.mask_of(condition),
        };
        let mask = self.b.ins().bitcast(F64X2, MemFlagsData::new(), mask);
        let range = either(yes, no);
        let [yes, no] = [yes, no].map(|lane| self.pair(lane));
        LaneValue { range, ..plain(self.b.ins().bitselect(mask, yes, no)) }
    }

    /// For a single number a branch, which costs nothing where it is never taken.
    fn nan_or(&mut self, a: LaneValue, otherwise: LaneValue) -> LaneValue {
        if a.range.is_some() {
            return otherwise;
        }
        if self.lanes == Lanes::Two {
            let is_nan = self.compare(Relation::Unordered, a, a);
            return self.choose(is_nan, a, otherwise);
        }
        let single = first(self.b, a.value);
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, single, single);
        let [a, otherwise] = [a, otherwise].map(|lane| self.pair(lane));
        plain(self.b.ins().select(is_nan, a, otherwise))
    }
}

/// The truth of a relation that follows from the ranges.
fn known(relation: Relation, a: LaneValue, b: LaneValue) -> Option<Truth> {
    if let (Some(a), Some(b)) = (a.constant, b.constant) {
        return Some(Truth::Known(Scalar.compare(relation, a, b)));
    }
    let ([a_low, a_high], [b_low, b_high]) = (a.range?, b.range?);
    let (always, never) = match relation {
        Relation::Lt => (a_high < b_low, a_low >= b_high),
        Relation::Le => (a_high <= b_low, a_low > b_high),
        Relation::Gt => (a_low > b_high, a_high <= b_low),
        Relation::Ge => (a_low >= b_high, a_high < b_low),
        Relation::Eq => (false, a_high < b_low || a_low > b_high),
        Relation::Ne => (a_high < b_low || a_low > b_high, false),
        Relation::Unordered => (false, true),
    };
    (always || never).then_some(Truth::Known(always))
}

/// Returns the range of a value that is one of two numbers.
fn either(a: LaneValue, b: LaneValue) -> Option<[f64; 2]> {
    let ([a_low, a_high], [b_low, b_high]) = (a.range?, b.range?);
    Some([a_low.min(b_low), a_high.max(b_high)])
}

/// Returns the operands of a commutative operation so that a constant is the second.
fn constant_last(a: LaneValue, b: LaneValue) -> [LaneValue; 2] {
    // Of two operands that are not-a-number, the first is the result.
    if a.constant.is_some_and(|a| !a.is_nan()) { [b, a] } else { [a, b] }
}

fn is_scalar(b: &FunctionBuilder, value: Value) -> bool {
    b.func.dfg.value_type(value) == F64
}

/// Returns the first lane of a register.
pub(in crate::engine::native) fn first(b: &mut FunctionBuilder, value: Value) -> Value {
    if is_scalar(b, value) { value } else { b.ins().extractlane(value, 0) }
}

pub(in crate::engine::native) fn plain(value: Value) -> LaneValue {
    LaneValue { value, truth: None, constant: None, range: None, follows_time: false }
}

impl LaneValue {
    /// The integer that is 1 or 0 as the value is, if there is one.
    pub fn flag(&self) -> Option<Value> {
        if let Some(Truth::Is(condition)) = self.truth { condition.flag } else { None }
    }

    /// The number in both lanes, for loops over elements.
    pub fn splat(self, b: &mut FunctionBuilder) -> LaneValue {
        if self.constant.is_some() {
            return self;
        }
        let single = first(b, self.value);
        LaneValue { truth: None, value: b.ins().splat(F64X2, single), ..self }
    }
}
