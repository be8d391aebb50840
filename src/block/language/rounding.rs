//! Arithmetic in the classes of numbers: each result is rounded to its class.

use super::class::{Class, Integer};
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::value::Value;
use super::{Binary, ExpressionError, Unary};

/// The largest integer up to which doubles hold all integers.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

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
