//! The classes of numbers: double, single, logical, and integers from 8 to 64 bits.
//!
//! Every number is held as a double. A number of another class is rounded after each operation: to the nearest single, or
//! to the nearest integer within the limits of its class, halves away from 0. The results are those of arithmetic in that
//! class, because a double holds the exact sum, difference or product of integers up to 32 bits, and rounding the double
//! result of `+ - * / sqrt` to single is the single result (Figueroa: When is double rounding innocuous?, 1995). A double
//! holds the integers of 64 bits up to 2^53 only; the run ends where one is larger.

use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::value::Value;
use super::{Binary, ExpressionError, Unary};

/// The class of the elements of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    #[default]
    Double,
    Single,
    /// Truths, which as an index select elements.
    Logical,
    Integer(Integer),
}

/// A class of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    bits: u8,
    is_signed: bool,
}

const fn integer(bits: u8, is_signed: bool) -> Class {
    Class::Integer(Integer { bits, is_signed })
}

/// The classes with the names and help of the functions that convert to them. To single an operation converts.
pub const CLASSES: [(&str, Class, &str); 10] = [
    ("double", Class::Double, "double(x): x as a number of double precision"),
    ("logical", Class::Logical, "logical(x): 1 where x is nonzero"),
    ("int8", integer(8, true), "int8(x): the nearest integer from −128 to 127"),
    ("int16", integer(16, true), "int16(x): the nearest integer from −32768 to 32767"),
    ("int32", integer(32, true), "int32(x): the nearest integer from −2^31 to 2^31 − 1"),
    ("int64", integer(64, true), "int64(x): the nearest integer, up to ±2^53"),
    ("uint8", integer(8, false), "uint8(x): the nearest integer from 0 to 255"),
    ("uint16", integer(16, false), "uint16(x): the nearest integer from 0 to 65535"),
    ("uint32", integer(32, false), "uint32(x): the nearest integer from 0 to 2^32 − 1"),
    ("uint64", integer(64, false), "uint64(x): the nearest integer from 0 to 2^53"),
];

/// The largest integer up to which doubles hold all integers.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

impl Integer {
    /// Returns the smallest and largest number.
    pub fn limits(self) -> (f64, f64) {
        let power = |bits: u8| 2f64.powi(i32::from(bits));
        match self.is_signed {
            true => (-power(self.bits - 1), power(self.bits - 1) - 1.0),
            false => (0.0, power(self.bits) - 1.0),
        }
    }

    pub fn bits(self) -> u8 {
        self.bits
    }

    /// Whether a double holds each number of the class.
    pub fn is_exact(self) -> bool {
        self.bits <= 32
    }
}

impl Class {
    pub fn by_name(name: &str) -> Option<Class> {
        let known = CLASSES.iter().find(|(known, ..)| *known == name).map(|(_, class, _)| *class);
        known.or((name == "single").then_some(Class::Single))
    }

    pub fn name(self) -> &'static str {
        CLASSES.iter().find(|(_, class, _)| *class == self).map_or("single", |(name, ..)| name)
    }

    pub fn is_integer(self) -> bool {
        matches!(self, Class::Integer(_))
    }

    /// The class of the sum of two numbers; none of two classes of integers.
    fn of_both(self, other: Class) -> Option<Class> {
        Some(match (self, other) {
            (Class::Integer(a), Class::Integer(b)) if a != b => return None,
            (Class::Integer(of), _) | (_, Class::Integer(of)) => Class::Integer(of),
            (Class::Single, _) | (_, Class::Single) => Class::Single,
            _ => Class::Double,
        })
    }

    /// The class of the sum of the elements of a vector: that of integers is double.
    pub fn of_sum(self) -> Class {
        if self == Class::Single { Class::Single } else { Class::Double }
    }

    /// The class of a matrix of parts: the first class of integers, else that of their sum.
    pub fn of_parts(parts: impl IntoIterator<Item = Class>) -> Class {
        let both = |all: Class, next: Class| match (all, next) {
            (Class::Logical, Class::Logical) => Class::Logical,
            (all, next) => all.of_both(next).unwrap_or(all),
        };
        parts.into_iter().reduce(both).unwrap_or_default()
    }
}

/// The name of the function of an operation.
fn name_of(op: Binary) -> &'static str {
    op.row().functions.first().map_or("this", |(name, _)| *name)
}

impl<A: Algebra> Evaluator<'_, A> {
    /// Returns the class of the result of arithmetic on two values.
    ///
    /// # Errors
    /// Fails for integers of two classes.
    pub fn common_class(&self, a: Class, b: Class, at: usize) -> Result<Class, ExpressionError> {
        a.of_both(b).ok_or_else(|| {
            let (a, b) = (a.name(), b.name());
            ExpressionError::new(at, format!("{a} and {b} do not combine; convert one of them, such as {a}(x)"))
        })
    }

    /// Applies arithmetic to elements of the same count.
    ///
    /// # Errors
    /// Fails for integers of two classes, for functions that take no integers, and for a known integer that is too large.
    pub fn arithmetic(
        &self,
        op: Binary,
        [a, b]: [A::Value; 2],
        classes: [Class; 2],
        at: usize,
    ) -> Result<A::Value, ExpressionError> {
        let class = self.common_class(classes[0], classes[1], at)?;
        let [a, b] = match class {
            Class::Single => [self.single_of(a, classes[0]), self.single_of(b, classes[1])],
            _ => [a, b],
        };
        let is_whole = |of: &A::Value, class: Class| {
            class.is_integer() || self.algebra.known(of).is_some_and(|known| known.fract() == 0.0)
        };
        let is_whole = is_whole(&a, classes[0]) && is_whole(&b, classes[1]);
        let made = self.algebra.binary(op, a, b);
        match (class, op) {
            (Class::Integer(_), Binary::Atan2 | Binary::Hypot) => {
                let problem = format!("“{}” takes no {}; convert it with double(x)", name_of(op), class.name());
                Err(ExpressionError::new(at, problem))
            }
            (Class::Integer(of), Binary::Add | Binary::Sub | Binary::Mul) if is_whole => self.limited(of, made, at),
            (Class::Integer(_), Binary::Mod | Binary::Rem) if is_whole => Ok(made),
            _ => self.rounded(class, made, at),
        }
    }

    fn single_of(&self, of: A::Value, class: Class) -> A::Value {
        match class {
            Class::Single | Class::Logical => of,
            _ => self.algebra.unary(Unary::Single, of),
        }
    }

    /// Rounds elements, which are the double result of an operation, to a class.
    ///
    /// # Errors
    /// Fails if a known integer of 64 bits is too large.
    pub fn rounded(&self, class: Class, of: A::Value, at: usize) -> Result<A::Value, ExpressionError> {
        let a = self.algebra;
        match class {
            Class::Double => Ok(of),
            Class::Integer(class) if a.known(&of).is_some_and(f64::is_nan) => self.limited(class, a.number(0.0), at),
            Class::Integer(class) if a.known(&of).is_some() => self.limited(class, a.unary(Unary::Round, of), at),
            Class::Single => Ok(a.unary(Unary::Single, of)),
            Class::Logical => Ok(a.binary(Binary::Ne, of, a.number(0.0))),
            Class::Integer(class) => {
                let is_nan = a.unary(Unary::IsNan, of.clone());
                let number = a.select(is_nan, a.number(0.0), a.unary(Unary::Round, of));
                self.limited(class, number, at)
            }
        }
    }

    /// Keeps integers within the limits of their class.
    fn limited(&self, class: Integer, of: A::Value, at: usize) -> Result<A::Value, ExpressionError> {
        let a = self.algebra;
        let (least, most) = class.limits();
        let limited = a.binary(Binary::Max, of, a.number(least));
        if class.is_exact() {
            return Ok(a.binary(Binary::Min, limited, a.number(most)));
        }
        self.check_exact(class, &limited, at)?;
        Ok(limited)
    }

    /// Ends the run where an integer of 64 bits is too large for a double.
    fn check_exact(&self, class: Integer, of: &A::Value, at: usize) -> Result<(), ExpressionError> {
        let name = Class::Integer(class).name();
        let problem = &format!("this {name} is beyond 2^53 = 9007199254740992, up to which integers are exact here");
        let a = self.algebra;
        let is_beyond = a.binary(Binary::Gt, a.unary(Unary::Abs, of.clone()), a.number(MAX_EXACT));
        let is_beyond = if a.width(&is_beyond) == 1 { is_beyond } else { a.fold(Binary::Max, is_beyond) };
        match a.known(&is_beyond) {
            Some(known) if known != 0.0 => Err(ExpressionError::new(at, problem)),
            Some(_) => Ok(()),
            None => {
                self.stop_at(is_beyond, problem, at);
                Ok(())
            }
        }
    }

    /// Applies a function of one element.
    ///
    /// # Errors
    /// Fails for functions that take no integers.
    pub fn unary(&self, op: Unary, a: &Value<A::Value>, at: usize) -> Evaluated<A> {
        self.spend(a.count(), at)?;
        let class = match (a.class, op) {
            (_, Unary::Not | Unary::IsNan | Unary::IsInf | Unary::IsFinite) => {
                return Ok(self.mapped(a, |a| self.algebra.unary(op, a)).of_class(Class::Logical));
            }
            (_, Unary::Single) => return self.converted(a, Class::Single, at),
            (Class::Integer(_), Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc) => return Ok(a.clone()),
            (Class::Integer(_), Unary::Neg | Unary::Abs | Unary::Sign) | (Class::Single, _) => a.class,
            (Class::Integer(_), _) => {
                let function = op.row().functions.first().map_or("this", |(name, _)| *name);
                let problem = format!("“{function}” takes no {}; convert it with double(x)", a.class.name());
                return Err(ExpressionError::new(at, problem));
            }
            (Class::Double | Class::Logical, _) => Class::Double,
        };
        let made = self.try_mapped(a, |a| {
            let made = self.algebra.unary(op, a);
            match class {
                Class::Integer(of) => self.limited(of, made, at),
                _ => self.rounded(class, made, at),
            }
        });
        Ok(made?.of_class(class))
    }

    /// Converts a value to a class.
    pub fn converted(&self, of: &Value<A::Value>, class: Class, at: usize) -> Evaluated<A> {
        let of = self.numeric(of.clone(), at)?;
        // Integers and truths are numbers of each larger class.
        let is_held = match (of.class, class) {
            (before, after) if before == after => true,
            (_, Class::Double) => true,
            (Class::Logical, _) => true,
            _ => false,
        };
        if is_held {
            return Ok(of.of_class(class));
        }
        self.spend(of.count(), at)?;
        if let (Class::Logical, Class::Single | Class::Double) = (class, of.class) {
            self.refuse_nan(&of, at)?;
        }
        Ok(self.try_mapped(&of, |of| self.rounded(class, of, at))?.of_class(class))
    }

    fn refuse_nan(&self, of: &Value<A::Value>, at: usize) -> Result<(), ExpressionError> {
        match self.known(of) {
            Some(known) if known.iter().any(|number| number.is_nan()) => {
                Err(ExpressionError::new(at, "not-a-number is neither true nor false"))
            }
            _ => Ok(()),
        }
    }

    /// Applies a function of elements that may fail.
    pub fn try_mapped(
        &self,
        a: &Value<A::Value>,
        f: impl Fn(A::Value) -> Result<A::Value, ExpressionError>,
    ) -> Evaluated<A> {
        let failed = std::cell::RefCell::new(None);
        let mapped = self.mapped(a, |of| {
            f(of.clone()).unwrap_or_else(|error| {
                failed.borrow_mut().get_or_insert(error);
                of
            })
        });
        failed.into_inner().map_or(Ok(mapped), Err)
    }
}
