//! The operations of two operands: one row each, as in [`super::unary`].
//!
//! A tangent takes each operand with its own tangent. `neutral` is the value that changes no bit of two or more terms
//! when it comes before the first of them; vectors can be reduced without a special first element where there is one.

use super::arithmetic::{Arithmetic, Relation, Scalar};
use super::lanes::{Args, CHUNK, all, one};
use super::row::{Cost, Named, Notation, OperationRow, Precedence, UnitRule};
use super::unary::truth_of;
use super::{Real, Unary, arc, power, remainder};

/// An operation of two operands as a type, for code that is compiled once for each operation.
pub trait BinaryFunction {
    /// Whether several elements at once are faster than one after the other.
    const IS_LONG: bool;

    fn value(a: f64, b: f64) -> f64;

    /// Applies the operation to each pair of elements.
    fn values(args: &Args<2>, out: &mut [f64; CHUNK]) {
        out.iter_mut().zip(&args[0]).zip(&args[1]).for_each(|((out, &a), &b)| *out = Self::value(a, b));
    }
}

/// Code that is compiled once for each operation of two operands.
pub trait BinaryVisitor {
    fn visit<F: BinaryFunction>(self);
}

macro_rules! binary_operations {
    ($($name:ident {
        notation: $notation:expr,
        functions: $functions:expr,
        cost: $cost:ident,
        units: $units:ident,
        neutral: $neutral:expr,
        value: $how:ident $value:tt,
        tangent: $tangent:tt $(,)?
    })*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Binary { $($name),* }

        mod functions {
            use super::*;
            $(
                pub(super) struct $name;
                impl BinaryFunction for $name { implement!($how $value); }
            )*
        }

        impl Binary {
            /// All operations, in the order of the table.
            pub const ALL: &'static [Binary] = &[$(Binary::$name),*];

            /// The operation with a function of this name in formulas.
            pub fn by_name(name: &str) -> Option<Binary> {
                let has_name = |op: &&Binary| op.row().functions.iter().any(|(known, _)| *known == name);
                Binary::ALL.iter().find(has_name).copied()
            }

            pub const fn row(self) -> &'static OperationRow {
                match self {
                    $(Binary::$name => {
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

            /// The value that changes no bit of two or more terms when it comes before the first of them.
            pub const fn neutral(self) -> Option<f64> {
                match self {
                    $(Binary::$name => $neutral),*
                }
            }

            /// Returns the result for two numbers.
            #[inline(always)]
            pub fn value(self, a: f64, b: f64) -> f64 {
                match self {
                    $(Binary::$name => functions::$name::value(a, b)),*
                }
            }

            /// Calls the visitor with the operation as a type.
            #[inline(always)]
            pub fn accept(self, visitor: impl BinaryVisitor) {
                match self {
                    $(Binary::$name => visitor.visit::<functions::$name>()),*
                }
            }

            /// Emits the operation's primitive instructions; `None` if it is called instead.
            pub fn inline<M: Arithmetic>(self, machine: &mut M, a: M::Number, b: M::Number) -> Option<M::Number> {
                match self {
                    $(Binary::$name => inline!($how $value, machine, a, b)),*
                }
            }

            /// Returns the tangent of the result from the operands and their tangents, by the rules of
            /// [`Unary::tangent`].
            pub fn tangent<R: Real>(self, (a, da): (R, R), (b, db): (R, R)) -> R {
                if da.is_zero() && db.is_zero() {
                    return a.constant(0.0);
                }
                match self {
                    $(Binary::$name => tangent!($tangent, a, da, b, db)),*
                }
            }
        }
    };
}

macro_rules! implement {
    (inline (|$m:ident, $a:ident, $b:ident| $value:expr)) => {
        const IS_LONG: bool = false;
        #[inline(always)]
        fn value($a: f64, $b: f64) -> f64 {
            let $m = &mut Scalar;
            $value
        }
    };
    (call ($function:ty)) => {
        const IS_LONG: bool = true;
        #[inline(always)]
        fn value(a: f64, b: f64) -> f64 {
            one::<2, $function>([a, b])
        }
        fn values(args: &Args<2>, out: &mut [f64; CHUNK]) {
            all::<2, $function>(args, out);
        }
    };
}

macro_rules! inline {
    (inline (|$m:ident, $a:ident, $b:ident| $value:expr), $machine:ident, $left:ident, $right:ident) => {{
        let ($m, $a, $b) = ($machine, $left, $right);
        Some($value)
    }};
    ($how:ident $value:tt, $machine:ident, $left:ident, $right:ident) => {
        None
    };
}

macro_rules! tangent {
    (flat, $left:ident, $dleft:ident, $right:ident, $dright:ident) => {
        $left.constant(0.0)
    };
    (
        (|$a:pat_param, $da:ident, $b:pat_param, $db:ident| $value:expr),
        $left:ident, $dleft:ident, $right:ident, $dright:ident
    ) => {{
        let ($a, $da, $b, $db) = ($left, $dleft, $right, $dright);
        $value
    }};
}

binary_operations! {
    Add {
        notation: Notation::Infix("+", Precedence::Sum),
        functions: [],
        cost: SUM,
        units: Same,
        neutral: Some(-0.0),
        value: inline(|m, a, b| m.add(a, b)),
        tangent: (|_, da, _, db| da + db),
    }
    Sub {
        notation: Notation::Infix("-", Precedence::Sum),
        functions: [],
        cost: SUM,
        units: Same,
        neutral: None,
        value: inline(|m, a, b| m.sub(a, b)),
        tangent: (|_, da, _, db| da - db),
    }
    Mul {
        notation: Notation::Infix("*", Precedence::Product),
        functions: [],
        cost: SUM,
        units: Unknown,
        neutral: Some(1.0),
        value: inline(|m, a, b| m.mul(a, b)),
        tangent: (|a, da, b, db| da.times_slope(|| b) + db.times_slope(|| a)),
    }
    Div {
        notation: Notation::Infix("/", Precedence::Product),
        functions: [],
        cost: DIVISION,
        units: Unknown,
        neutral: None,
        value: inline(|m, a, b| m.div(a, b)),
        tangent: (|a, da, b, db| da.times_slope(|| a.constant(1.0) / b) - db.times_slope(|| a / b / b)),
    }
    // Not-a-number on either side stays.
    Min {
        notation: Notation::Call("min"),
        functions: [],
        cost: RELATION,
        units: Same,
        neutral: Some(f64::INFINITY),
        value: inline(|m, a, b| {
            let is_second = m.compare(Relation::Lt, b, a);
            extreme(m, is_second, a, b)
        }),
        tangent: (|a, da, b, db| is_first(a, Binary::Le, b).choose(da, db)),
    }
    Max {
        notation: Notation::Call("max"),
        functions: [],
        cost: RELATION,
        units: Same,
        neutral: Some(f64::NEG_INFINITY),
        value: inline(|m, a, b| {
            let is_second = m.compare(Relation::Lt, a, b);
            extreme(m, is_second, a, b)
        }),
        tangent: (|a, da, b, db| is_first(a, Binary::Ge, b).choose(da, db)),
    }
    // At base 0 a power is constant or jumps: its derivative by the exponent is taken as 0.
    Pow {
        notation: Notation::Infix("^", Precedence::Power),
        functions: [("pow", "pow(a, b): a to the power of b")],
        cost: FUNCTION_OF_TWO,
        units: Unknown,
        neutral: None,
        value: call(power::Pow),
        tangent: (|a, da, b, db| {
            let of_base = || b.unless_zero(|| b * a.binary(Binary::Pow, b - b.constant(1.0)));
            let of_exponent = || a.unless_zero(|| a.binary(Binary::Pow, b) * a.unary(Unary::Ln));
            da.times_slope(of_base) + db.times_slope(of_exponent)
        }),
    }
    Atan2 {
        notation: Notation::Call("atan2"),
        functions: [("atan2", "atan2(y, x): the angle of the point x, y")],
        cost: FUNCTION_OF_TWO,
        units: Unknown,
        neutral: None,
        value: call(arc::Atan2),
        tangent: (|a, da, b, db| {
            let length = a.binary(Binary::Hypot, b);
            da.times_slope(|| b / length / length) - db.times_slope(|| a / length / length)
        }),
    }
    Hypot {
        notation: Notation::Call("hypot"),
        functions: [("hypot", "hypot(a, b): sqrt(a^2 + b^2)")],
        cost: FUNCTION_OF_TWO,
        units: Same,
        neutral: None,
        value: call(power::Hypot),
        tangent: (|a, da, b, db| {
            let length = a.binary(Binary::Hypot, b);
            da.times_slope(|| a / length) + db.times_slope(|| b / length)
        }),
    }
    Rem {
        notation: Notation::Call("rem"),
        functions: [("rem", "rem(a, b): the remainder of a / b, with the sign of a")],
        cost: FUNCTION_OF_TWO,
        units: Unknown,
        neutral: None,
        value: call(remainder::Rem),
        tangent: (|a, da, b, db| da - db.times_slope(|| (a / b).unary(Unary::Trunc))),
    }
    // Is `a` where `b` is 0.
    Mod {
        notation: Notation::Call("mod"),
        functions: [("mod", "mod(a, b): the remainder of a / b, with the sign of b")],
        cost: FUNCTION_OF_TWO,
        units: Unknown,
        neutral: None,
        value: call(remainder::Mod),
        tangent: (|a, da, b, db| b.choose(da - db.times_slope(|| (a / b).unary(Unary::Floor)), da)),
    }
    Lt {
        notation: Notation::Infix("<", Precedence::Relation),
        functions: [],
        cost: RELATION,
        units: Compared,
        neutral: None,
        value: inline(|m, a, b| truth_of(m, Relation::Lt, a, b)),
        tangent: flat,
    }
    Le {
        notation: Notation::Infix("<=", Precedence::Relation),
        functions: [],
        cost: RELATION,
        units: Compared,
        neutral: None,
        value: inline(|m, a, b| truth_of(m, Relation::Le, a, b)),
        tangent: flat,
    }
    Gt {
        notation: Notation::Infix(">", Precedence::Relation),
        functions: [],
        cost: RELATION,
        units: Compared,
        neutral: None,
        value: inline(|m, a, b| truth_of(m, Relation::Gt, a, b)),
        tangent: flat,
    }
    Ge {
        notation: Notation::Infix(">=", Precedence::Relation),
        functions: [],
        cost: RELATION,
        units: Compared,
        neutral: None,
        value: inline(|m, a, b| truth_of(m, Relation::Ge, a, b)),
        tangent: flat,
    }
    Eq {
        notation: Notation::Infix("==", Precedence::Relation),
        functions: [],
        cost: RELATION,
        units: Compared,
        neutral: None,
        value: inline(|m, a, b| truth_of(m, Relation::Eq, a, b)),
        tangent: flat,
    }
    Ne {
        notation: Notation::Infix("!=", Precedence::Relation),
        functions: [],
        cost: RELATION,
        units: Compared,
        neutral: None,
        value: inline(|m, a, b| truth_of(m, Relation::Ne, a, b)),
        tangent: flat,
    }
    And {
        notation: Notation::Infix("&&", Precedence::And),
        functions: [],
        cost: RELATION,
        units: Unknown,
        neutral: Some(1.0),
        value: inline(|m, a, b| {
            let (a, b) = (m.is_nonzero(a), m.is_nonzero(b));
            let both = m.and(a, b);
            m.number(both)
        }),
        tangent: flat,
    }
    Or {
        notation: Notation::Infix("||", Precedence::Or),
        functions: [],
        cost: RELATION,
        units: Unknown,
        neutral: Some(0.0),
        value: inline(|m, a, b| {
            let (a, b) = (m.is_nonzero(a), m.is_nonzero(b));
            let any = m.or(a, b);
            m.number(any)
        }),
        tangent: flat,
    }
    Xor {
        notation: Notation::Call("xor"),
        functions: [("xor", "xor(a, b): 1 where exactly one of them is nonzero")],
        cost: RELATION,
        units: Unknown,
        neutral: Some(0.0),
        value: inline(|m, a, b| {
            let (a, b) = (m.is_nonzero(a), m.is_nonzero(b));
            let one_of_them = m.xor(a, b);
            m.number(one_of_them)
        }),
        tangent: flat,
    }
}

/// The second where it is beyond the first or not-a-number, else the first. The first choice has the form of a processor's
/// instruction for a minimum or a maximum, and becomes one.
#[inline(always)]
fn extreme<M: Arithmetic>(m: &mut M, is_beyond: M::Truth, a: M::Number, b: M::Number) -> M::Number {
    let beyond = m.choose(is_beyond, b, a);
    m.nan_or(b, beyond)
}

/// Whether the tangent of an extreme is that of its first operand: it is not-a-number, or its relation to the other holds.
fn is_first<R: Real>(a: R, relation: Binary, b: R) -> R {
    a.unary(Unary::IsNan).binary(Binary::Or, a.binary(relation, b))
}
