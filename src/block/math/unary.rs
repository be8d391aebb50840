//! The operations of one operand: one row each.
//!
//! A row holds everything that the program knows about an operation: its notation and functions in formulas, its cost,
//! its rule for physical units, its value and its tangent (the derivative times the operand's tangent `da`). The
//! interpreters, machine code, the differentiation, the language of formulas and code, and messages read it here. A value
//! that is `inline` is composed of primitive instructions, for numbers and machine code alike; one that is `call` is a
//! function of `math`.

use super::arithmetic::{Arithmetic, Relation, Scalar};
use super::lanes::{Args, CHUNK, all, one};
use super::row::{Cost, Named, Notation, OperationRow, UnitRule};
use super::{Binary, Real, arc, exp, log, probit, trig};

/// An operation of one operand as a type, for code that is compiled once for each operation.
pub trait UnaryFunction {
    /// Whether several elements at once are faster than one after the other.
    const IS_LONG: bool;

    fn value(a: f64) -> f64;

    /// Applies the operation to each element.
    fn values(args: &Args<1>, out: &mut [f64; CHUNK]) {
        out.iter_mut().zip(&args[0]).for_each(|(out, &a)| *out = Self::value(a));
    }
}

/// Code that is compiled once for each operation of one operand.
pub trait UnaryVisitor {
    fn visit<F: UnaryFunction>(self);
}

macro_rules! unary_operations {
    ($($name:ident {
        notation: $notation:expr,
        functions: $functions:expr,
        cost: $cost:ident,
        units: $units:ident,
        value: $how:ident $value:tt,
        tangent: $tangent:tt $(,)?
    })*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unary { $($name),* }

        mod functions {
            use super::*;
            $(
                pub(super) struct $name;
                impl UnaryFunction for $name { implement!($how $value); }
            )*
        }

        impl Unary {
            /// All operations, in the order of the table.
            pub const ALL: &'static [Unary] = &[$(Unary::$name),*];

            /// The operation with a function of this name in formulas.
            pub fn by_name(name: &str) -> Option<Unary> {
                let has_name = |op: &&Unary| op.row().functions.iter().any(|(known, _)| *known == name);
                Unary::ALL.iter().find(has_name).copied()
            }

            pub const fn row(self) -> &'static OperationRow {
                match self {
                    $(Unary::$name => {
                        const ROW: OperationRow = OperationRow {
                            notation: $notation,
                            functions: { const FUNCTIONS: &[Named] = &$functions; FUNCTIONS },
                            cost: Cost::$cost,
                            units: UnitRule::$units,
                            is_inline: is_inline!($how),
                            is_flat: is_flat!($tangent),
                        };
                        &ROW
                    })*
                }
            }

            /// Returns the result for a number.
            #[inline(always)]
            pub fn value(self, a: f64) -> f64 {
                match self {
                    $(Unary::$name => functions::$name::value(a)),*
                }
            }

            /// Calls the visitor with the operation as a type.
            #[inline(always)]
            pub fn accept(self, visitor: impl UnaryVisitor) {
                match self {
                    $(Unary::$name => visitor.visit::<functions::$name>()),*
                }
            }

            /// Emits the operation's primitive instructions; `None` if it is called instead.
            pub fn inline<M: Arithmetic>(self, machine: &mut M, a: M::Number) -> Option<M::Number> {
                match self {
                    $(Unary::$name => inline!($how $value, machine, a)),*
                }
            }

            /// Returns the tangent of the result from that of the operand. A tangent of 0 stays 0, even where the
            /// derivative is infinite. At a kink the derivative is that of the side of the result; the derivative of a
            /// jump is 0.
            pub fn tangent<R: Real>(self, a: R, da: R) -> R {
                da.unless_zero(|| match self {
                    $(Unary::$name => tangent!($tangent, a, da)),*
                })
            }
        }
    };
}

macro_rules! implement {
    (inline (|$m:ident, $a:ident| $value:expr)) => {
        const IS_LONG: bool = false;
        #[inline(always)]
        fn value($a: f64) -> f64 {
            let $m = &mut Scalar;
            $value
        }
    };
    (call ($function:ty)) => {
        const IS_LONG: bool = true;
        #[inline(always)]
        fn value(a: f64) -> f64 {
            one::<1, $function>([a])
        }
        fn values(args: &Args<1>, out: &mut [f64; CHUNK]) {
            all::<1, $function>(args, out);
        }
    };
    // One element after the other.
    (single ($function:path)) => {
        const IS_LONG: bool = false;
        #[inline(always)]
        fn value(a: f64) -> f64 {
            $function(a)
        }
    };
}

macro_rules! inline {
    (inline (|$m:ident, $a:ident| $value:expr), $machine:ident, $operand:ident) => {{
        let ($m, $a) = ($machine, $operand);
        Some($value)
    }};
    ($how:ident $value:tt, $machine:ident, $operand:ident) => {
        None
    };
}

macro_rules! tangent {
    (flat, $operand:ident, $tangent:ident) => {
        $operand.constant(0.0)
    };
    ((|$a:pat_param, $da:ident| $value:expr), $operand:ident, $tangent:ident) => {{
        let ($a, $da) = ($operand, $tangent);
        $value
    }};
}

unary_operations! {
    Neg {
        notation: Notation::Prefix("-"),
        functions: [],
        cost: SIGN,
        units: Same,
        value: inline(|m, a| m.neg(a)),
        tangent: (|_, da| -da),
    }
    Abs {
        notation: Notation::Call("abs"),
        functions: [("abs", "abs(x): absolute value")],
        cost: SIGN,
        units: Same,
        value: inline(|m, a| m.abs(a)),
        tangent: (|a, da| a.unary(Unary::Sign) * da),
    }
    // Zeros keep their sign, not-a-number stays.
    Sign {
        notation: Notation::Call("sign"),
        functions: [("sign", "sign(x): -1, 0 or 1")],
        cost: ROUNDING,
        units: Unknown,
        value: inline(|m, a| sign(m, a)),
        tangent: flat,
    }
    Sqrt {
        notation: Notation::Call("sqrt"),
        functions: [("sqrt", "sqrt(x): square root")],
        cost: ROOT,
        units: Unknown,
        value: inline(|m, a| m.sqrt(a)),
        tangent: (|a, da| da / (a.constant(2.0) * a.unary(Unary::Sqrt))),
    }
    Floor {
        notation: Notation::Call("floor"),
        functions: [("floor", "floor(x): x rounded down to an integer")],
        cost: ROUNDING,
        units: Unknown,
        value: inline(|m, a| m.floor(a)),
        tangent: flat,
    }
    Ceil {
        notation: Notation::Call("ceil"),
        functions: [("ceil", "ceil(x): x rounded up to an integer")],
        cost: ROUNDING,
        units: Unknown,
        value: inline(|m, a| m.ceil(a)),
        tangent: flat,
    }
    Round {
        notation: Notation::Call("round"),
        functions: [("round", "round(x): x rounded to the nearest integer, halves away from 0")],
        cost: ROUNDING,
        units: Unknown,
        value: inline(|m, a| m.round(a)),
        tangent: flat,
    }
    Trunc {
        notation: Notation::Call("trunc"),
        functions: [("trunc", "trunc(x): x rounded towards 0"), ("fix", "fix(x): x rounded towards 0")],
        cost: ROUNDING,
        units: Unknown,
        value: inline(|m, a| m.trunc(a)),
        tangent: flat,
    }
    // Rounding is not differentiated, as in all arithmetic.
    Single {
        notation: Notation::Call("single"),
        functions: [("single", "single(x): x in single precision")],
        cost: ROUNDING,
        units: Same,
        value: inline(|m, a| m.single(a)),
        tangent: (|_a, da| da),
    }
    Sin {
        notation: Notation::Call("sin"),
        functions: [("sin", "sin(x): sine of x in radians")],
        cost: FUNCTION,
        units: Unknown,
        value: call(trig::Sin),
        tangent: (|a, da| a.unary(Unary::Cos) * da),
    }
    Cos {
        notation: Notation::Call("cos"),
        functions: [("cos", "cos(x): cosine of x in radians")],
        cost: FUNCTION,
        units: Unknown,
        value: call(trig::Cos),
        tangent: (|a, da| -a.unary(Unary::Sin) * da),
    }
    Tan {
        notation: Notation::Call("tan"),
        functions: [("tan", "tan(x): tangent of x in radians")],
        cost: FUNCTION,
        units: Unknown,
        value: call(trig::Tan),
        tangent: (|a, da| (a.constant(1.0) + a.unary(Unary::Tan).square()) * da),
    }
    Asin {
        notation: Notation::Call("asin"),
        functions: [("asin", "asin(x): arcsine in radians")],
        cost: FUNCTION,
        units: Unknown,
        value: call(arc::Asin),
        tangent: (|a, da| da / one_minus_square(a).unary(Unary::Sqrt)),
    }
    Acos {
        notation: Notation::Call("acos"),
        functions: [("acos", "acos(x): arccosine in radians")],
        cost: FUNCTION,
        units: Unknown,
        value: call(arc::Acos),
        tangent: (|a, da| -da / one_minus_square(a).unary(Unary::Sqrt)),
    }
    Atan {
        notation: Notation::Call("atan"),
        functions: [("atan", "atan(x): arctangent in radians")],
        cost: FUNCTION,
        units: Unknown,
        value: call(arc::Atan),
        tangent: (|a, da| da / (a.constant(1.0) + a.square())),
    }
    Sinh {
        notation: Notation::Call("sinh"),
        functions: [("sinh", "sinh(x): hyperbolic sine")],
        cost: FUNCTION,
        units: Unknown,
        value: call(exp::Sinh),
        tangent: (|a, da| a.unary(Unary::Cosh) * da),
    }
    Cosh {
        notation: Notation::Call("cosh"),
        functions: [("cosh", "cosh(x): hyperbolic cosine")],
        cost: FUNCTION,
        units: Unknown,
        value: call(exp::Cosh),
        tangent: (|a, da| a.unary(Unary::Sinh) * da),
    }
    Tanh {
        notation: Notation::Call("tanh"),
        functions: [("tanh", "tanh(x): hyperbolic tangent")],
        cost: FUNCTION,
        units: Unknown,
        value: call(exp::Tanh),
        tangent: (|a, da| da / a.unary(Unary::Cosh).square()),
    }
    Asinh {
        notation: Notation::Call("asinh"),
        functions: [("asinh", "asinh(x): inverse of sinh")],
        cost: FUNCTION,
        units: Unknown,
        value: call(log::Asinh),
        tangent: (|a, da| da / a.constant(1.0).binary(Binary::Hypot, a)),
    }
    Acosh {
        notation: Notation::Call("acosh"),
        functions: [("acosh", "acosh(x): inverse of cosh")],
        cost: FUNCTION,
        units: Unknown,
        value: call(log::Acosh),
        tangent: (|a, da| {
            let one = a.constant(1.0);
            da / ((a - one).unary(Unary::Sqrt) * (a + one).unary(Unary::Sqrt))
        }),
    }
    Atanh {
        notation: Notation::Call("atanh"),
        functions: [("atanh", "atanh(x): inverse of tanh")],
        cost: FUNCTION,
        units: Unknown,
        value: call(log::Atanh),
        tangent: (|a, da| da / one_minus_square(a)),
    }
    Exp {
        notation: Notation::Call("exp"),
        functions: [("exp", "exp(x): e to the power of x")],
        cost: FUNCTION,
        units: Unknown,
        value: call(exp::Exp),
        tangent: (|a, da| a.unary(Unary::Exp) * da),
    }
    Ln {
        notation: Notation::Call("ln"),
        functions: [("ln", "ln(x): natural logarithm"), ("log", "log(x): natural logarithm")],
        cost: FUNCTION,
        units: Unknown,
        value: call(log::Ln),
        tangent: (|a, da| da / a),
    }
    Log10 {
        notation: Notation::Call("log10"),
        functions: [("log10", "log10(x): base-10 logarithm")],
        cost: FUNCTION,
        units: Unknown,
        value: call(log::Log10),
        tangent: (|a, da| da / (a * a.constant(std::f64::consts::LN_10))),
    }
    Not {
        notation: Notation::Prefix("!"),
        functions: [],
        cost: SIGN,
        units: Unknown,
        value: inline(|m, a| {
            let zero = m.constant(0.0);
            truth_of(m, Relation::Eq, a, zero)
        }),
        tangent: flat,
    }
    IsNan {
        notation: Notation::Call("isnan"),
        functions: [("isnan", "isnan(x): 1 where x is not-a-number")],
        cost: ROUNDING,
        units: Unknown,
        value: inline(|m, a| truth_of(m, Relation::Unordered, a, a)),
        tangent: flat,
    }
    IsInf {
        notation: Notation::Call("isinf"),
        functions: [("isinf", "isinf(x): 1 where x is infinite")],
        cost: ROUNDING,
        units: Unknown,
        value: inline(|m, a| {
            let (size, infinity) = (m.abs(a), m.constant(f64::INFINITY));
            truth_of(m, Relation::Eq, size, infinity)
        }),
        tangent: flat,
    }
    IsFinite {
        notation: Notation::Call("isfinite"),
        functions: [("isfinite", "isfinite(x): 1 where x is neither infinite nor not-a-number")],
        cost: ROUNDING,
        units: Unknown,
        value: inline(|m, a| {
            let (size, infinity) = (m.abs(a), m.constant(f64::INFINITY));
            truth_of(m, Relation::Lt, size, infinity)
        }),
        tangent: flat,
    }
    // The quantile function of the standard normal distribution. Its derivative is the inverse of the density.
    Probit {
        notation: Notation::Call("probit"),
        functions: [],
        cost: FUNCTION,
        units: Unknown,
        value: single(probit::probit),
        tangent: (|a, da| {
            let exponent = a.unary(Unary::Probit).square() / a.constant(2.0);
            da * a.constant(std::f64::consts::TAU.sqrt()) * exponent.unary(Unary::Exp)
        }),
    }
}

#[inline(always)]
fn sign<M: Arithmetic>(m: &mut M, a: M::Number) -> M::Number {
    let (zero, one, minus) = (m.constant(0.0), m.constant(1.0), m.constant(-1.0));
    let is_below = m.compare(Relation::Lt, a, zero);
    let not_above = m.choose(is_below, minus, a);
    let is_above = m.compare(Relation::Gt, a, zero);
    m.choose(is_above, one, not_above)
}

/// 1 if the relation holds, else 0.
#[inline(always)]
pub(super) fn truth_of<M: Arithmetic>(m: &mut M, relation: Relation, a: M::Number, b: M::Number) -> M::Number {
    let truth = m.compare(relation, a, b);
    m.number(truth)
}

fn one_minus_square<R: Real>(a: R) -> R {
    let one = a.constant(1.0);
    (one - a) * (one + a)
}
