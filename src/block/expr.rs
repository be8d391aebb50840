//! Arithmetic operators that write instructions to the tape.

use std::ops::{Add, Div, Mul, Neg, Not, Rem, Sub};

use super::{Binary, Builder, Expr, Op, Reg, Unary};

/// An operand of an expression: another expression, or a number.
pub trait Operand<'b> {
    /// Returns it as an expression on the tape of a block.
    fn expr(self, b: &'b Builder<'b>) -> Expr<'b>;
}

impl<'b> Operand<'b> for Expr<'b> {
    fn expr(self, _: &'b Builder<'b>) -> Expr<'b> {
        self
    }
}

impl<'b> Operand<'b> for f64 {
    fn expr(self, b: &'b Builder<'b>) -> Expr<'b> {
        b.constant(self)
    }
}

macro_rules! unary {
    ($($method:ident $op:ident),* $(,)?) => { $(
        /// Applies the operation of this name element by element.
        pub fn $method(self) -> Expr<'b> { self.unary(Unary::$op) }
    )* };
}

macro_rules! binary {
    ($($method:ident $op:ident),* $(,)?) => { $(
        /// Applies the operation of this name element by element, with scalar expansion.
        pub fn $method(self, other: impl Operand<'b>) -> Expr<'b> { self.binary(Binary::$op, other.expr(self.b)) }
    )* };
}

impl<'b> Expr<'b> {
    /// Returns the number of elements.
    pub fn width(self) -> usize {
        self.b.tape.borrow().widths[self.reg as usize] as usize
    }

    /// Returns the register, which identifies the value.
    pub(super) fn reg(self) -> Reg {
        self.reg
    }

    /// Returns the value of an expression that is a constant or computed from constants.
    pub fn known(self) -> Option<f64> {
        self.b.tape.borrow().known(self.reg)
    }

    /// Whether the value is computed from constants only.
    pub fn is_constant(self) -> bool {
        self.b.tape.borrow().is_constant(self.reg)
    }

    /// Whether the value is computed from constants and parameters only.
    pub(in crate::block) fn is_settled(self) -> bool {
        self.b.tape.borrow().is_settled(self.reg)
    }

    /// Applies the operation element by element.
    pub fn unary(self, op: Unary) -> Expr<'b> {
        self.b.push(Op::Unary(op, self.reg), self.width())
    }

    /// Applies the operation element by element, with scalar expansion.
    pub fn binary(self, op: Binary, other: Expr<'b>) -> Expr<'b> {
        let width = self.b.meet_of(self, other);
        self.b.push(Op::Binary(op, self.reg, other.reg), width)
    }

    /// Reduces all elements to one, from first to last.
    pub fn fold(self, op: Binary) -> Expr<'b> {
        self.b.push(Op::Fold(op, self.reg), 1)
    }

    /// Returns `width` elements from `start` on.
    pub fn slice(self, start: usize, width: usize) -> Expr<'b> {
        assert!(start + width <= self.width() && width > 0, "a slice lies inside its vector");
        self.b.push(Op::Slice { of: self.reg, start: start as u32 }, width)
    }

    /// Returns one element.
    pub fn element(self, index: usize) -> Expr<'b> {
        self.slice(index, 1)
    }

    /// Returns each element by itself.
    pub fn elements(self) -> Vec<Expr<'b>> {
        (0..self.width()).map(|index| self.element(index)).collect()
    }

    /// Returns the sum of all elements, added from first to last.
    pub fn sum(self) -> Expr<'b> {
        self.fold(Binary::Add)
    }

    /// Returns the dot product.
    pub fn dot(self, other: Expr<'b>) -> Expr<'b> {
        (self * other).sum()
    }

    /// Limits the value to `low` and `high`; not-a-number stays.
    pub fn clamp(self, low: impl Operand<'b>, high: impl Operand<'b>) -> Expr<'b> {
        self.max(low).min(high)
    }

    /// Returns the element at `index`, counted from 0 and limited to the vector.
    pub fn pick(self, index: Expr<'b>) -> Expr<'b> {
        self.b.push(Op::Pick { of: self.reg, index: index.reg }, index.width())
    }

    unary! {
        abs Abs, sign Sign, sqrt Sqrt, floor Floor, ceil Ceil, round Round, trunc Trunc,
        sin Sin, cos Cos, exp Exp, ln Ln, is_nan IsNan, probit Probit,
    }

    binary! {
        min Min, max Max, pow Pow, modulo Mod,
        lt Lt, le Le, gt Gt, ge Ge, equals Eq, differs Ne, and And, or Or,
    }
}

impl<'b> Neg for Expr<'b> {
    type Output = Expr<'b>;

    fn neg(self) -> Expr<'b> {
        self.unary(Unary::Neg)
    }
}

/// Returns 1 where the value is 0, else 0.
impl<'b> Not for Expr<'b> {
    type Output = Expr<'b>;

    fn not(self) -> Expr<'b> {
        self.unary(Unary::Not)
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $op:ident),*) => { $(
        impl<'b> $trait for Expr<'b> {
            type Output = Expr<'b>;

            fn $method(self, other: Expr<'b>) -> Expr<'b> {
                self.binary(Binary::$op, other)
            }
        }

        impl<'b> $trait<f64> for Expr<'b> {
            type Output = Expr<'b>;

            fn $method(self, other: f64) -> Expr<'b> {
                self.binary(Binary::$op, self.b.constant(other))
            }
        }

        impl<'b> $trait<Expr<'b>> for f64 {
            type Output = Expr<'b>;

            fn $method(self, other: Expr<'b>) -> Expr<'b> {
                other.b.constant(self).binary(Binary::$op, other)
            }
        }
    )* };
}

operator!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Rem rem Rem);
