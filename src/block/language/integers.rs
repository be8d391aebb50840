//! Functions of integers and of classes: bits, quotients, limits.

use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::function::{Bits, Limit};
use super::value::Value;
use super::{Binary, ExpressionError, Unary};

/// The bits of an integer that a double holds.
const DOUBLE_BITS: u8 = 53;

impl<A: Algebra> Evaluator<'_, A> {
    /// Converts a value to the class that a text names.
    pub(super) fn cast(&self, of: &Value<A::Value>, to: Option<&Value<A::Value>>, at: usize) -> Evaluated<A> {
        let class = to.and_then(Value::as_text).and_then(Class::by_name);
        let problem = "cast takes a value and the name of a class, such as 'int8'";
        self.converted(of, class.ok_or_else(|| ExpressionError::new(at, problem))?, at)
    }

    /// Returns a limit of a class, such as intmax('int8').
    pub(super) fn limit(&self, limit: Limit, values: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        let class = match values {
            [] if limit.is_of_integers() => Class::by_name("int32"),
            [] => Some(Class::Double),
            [of] => match of.as_text() {
                Some(name) => Class::by_name(name),
                None if limit == Limit::Spacing => return self.spacing(of, at),
                None => Some(of.class),
            },
            _ => None,
        };
        let fail = |problem: &str| Err(ExpressionError::new(at, problem));
        let (single, double) = match limit {
            Limit::IntegerMin | Limit::IntegerMax => {
                let Some(Class::Integer(of)) = class else {
                    return fail("a class of integers is required, such as 'int8'");
                };
                let (least, most) = of.limits();
                let number = if limit == Limit::IntegerMin { least } else { most };
                if number != 0.0 && !of.is_exact() {
                    return fail("this number is beyond 2^53 = 9007199254740992, up to which integers are exact here");
                }
                return Ok(self.number(number).of_class(Class::Integer(of)));
            }
            Limit::Spacing => (f64::from(f32::EPSILON), f64::EPSILON),
            Limit::RealMax => (f64::from(f32::MAX), f64::MAX),
            Limit::RealMin => (f64::from(f32::MIN_POSITIVE), f64::MIN_POSITIVE),
            Limit::WholeMax => (16_777_216.0, 9_007_199_254_740_992.0),
        };
        match class {
            Some(Class::Single) => Ok(self.number(single).of_class(Class::Single)),
            Some(Class::Double) => Ok(self.number(double)),
            _ => fail("the class is 'double' or 'single'"),
        }
    }

    /// Returns the distance from a known number to the next larger one of its class.
    fn spacing(&self, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let Some(number) = self.known_scalar(of).map(f64::abs) else {
            return Err(ExpressionError::new(at, "eps(x) takes a single number that is known before the run"));
        };
        let distance = match of.class {
            Class::Single => f64::from((number as f32).next_up()) - number,
            Class::Double => number.next_up() - number,
            _ => return Err(ExpressionError::new(at, "eps takes a number of class double or single")),
        };
        Ok(self.number(distance).of_class(of.class))
    }

    /// Returns the quotient of integers, rounded as a text says: towards 0 unless it is there.
    pub(super) fn integer_quotient(&self, a: &Value<A::Value>, values: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        let b = values.get(1).unwrap_or(a);
        let class = self.common_class(a.class, b.class, at)?;
        let rounding = match values.get(2).map(|rounding| rounding.as_text()) {
            None | Some(Some("fix")) => Unary::Trunc,
            Some(Some("floor")) => Unary::Floor,
            Some(Some("ceil")) => Unary::Ceil,
            Some(Some("round")) => Unary::Round,
            Some(_) => {
                return Err(ExpressionError::new(at, "the rounding is 'fix', 'floor', 'ceil' or 'round'"));
            }
        };
        if !class.is_integer() {
            return Err(ExpressionError::new(at, "idivide takes at least one integer, such as int32(x)"));
        }
        let [a, b] = [a, b].map(|of| self.converted(of, Class::Double, at));
        let quotient = self.each(Binary::Div, &a?, &b?, at)?;
        self.converted(&self.unary(rounding, &quotient, at)?, class, at)
    }

    /// Combines integers bit by bit, or moves their bits.
    pub(super) fn bits(&self, op: Bits, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let class = self.common_class(a.class, b.class, at)?;
        let bits = match class {
            Class::Integer(of) => of.bits().min(DOUBLE_BITS),
            Class::Double | Class::Logical => DOUBLE_BITS,
            Class::Single => return Err(ExpressionError::new(at, "a single number has no bits; convert it first")),
        };
        if op == Bits::Shift {
            return self.shifted(a, b, bits, at);
        }
        let as_double = |of: &Value<A::Value>| self.converted(of, Class::Double, at);
        let (a, b) = (as_double(a)?, as_double(b)?);
        let weights: Vec<f64> = (0..i32::from(bits)).map(|bit| 2f64.powi(bit)).collect();
        let both = self.combined(&a, &b, at, |a, b| Ok(self.common_bits(a, b, &weights)))?;
        let common = |factor: f64| self.each(Binary::Mul, &both, &self.number(factor), at);
        let sum = || self.each(Binary::Add, &a, &b, at);
        let made = match op {
            Bits::And | Bits::Shift => both,
            // Each bit that both have counts twice in the sum.
            Bits::Or => self.each(Binary::Sub, &sum()?, &both, at)?,
            Bits::Xor => self.each(Binary::Sub, &sum()?, &common(2.0)?, at)?,
        };
        self.spend(made.count() * weights.len(), at)?;
        Ok(made.of_class(if class == Class::Logical { Class::Double } else { class }))
    }

    /// Returns the integer of the bits that two elements have in common.
    fn common_bits(&self, a: A::Value, b: A::Value, weights: &[f64]) -> A::Value {
        let algebra = self.algebra;
        let count = algebra.width(&a).max(algebra.width(&b));
        let of = |value: &A::Value, index: usize| match algebra.width(value) {
            1 => value.clone(),
            _ => algebra.slice(value, index, 1),
        };
        let weights = algebra.join(&weights.iter().map(|weight| algebra.number(*weight)).collect::<Vec<_>>());
        let digits = |of: A::Value| {
            let shifted = algebra.unary(Unary::Floor, algebra.binary(Binary::Div, of, weights.clone()));
            algebra.binary(Binary::Mod, shifted, algebra.number(2.0))
        };
        let common = |index: usize| {
            let both = algebra.binary(Binary::Mul, digits(of(&a, index)), digits(of(&b, index)));
            algebra.fold(Binary::Add, algebra.binary(Binary::Mul, both, weights.clone()))
        };
        let each: Vec<A::Value> = (0..count).map(common).collect();
        algebra.join(&each)
    }

    /// Moves the bits of integers to the left, or right for a negative number of places; those beyond the ends are lost.
    fn shifted(&self, of: &Value<A::Value>, places: &Value<A::Value>, bits: u8, at: usize) -> Evaluated<A> {
        let as_double = self.converted(of, Class::Double, at)?;
        let power = self.each(Binary::Pow, &self.number(2.0), &self.converted(places, Class::Double, at)?, at)?;
        let moved = self.unary(Unary::Floor, &self.each(Binary::Mul, &as_double, &power, at)?, at)?;
        let kept = self.each(Binary::Mod, &moved, &self.number(2f64.powi(i32::from(bits))), at)?;
        self.converted(&kept, of.class, at)
    }
}
