//! The numbers of the rules of differentiation: a rule is written once, and computes tangents or writes the code that
//! computes them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Binary, Unary};

/// A number in a rule of differentiation.
pub trait Real:
    Copy + Neg<Output = Self> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Returns a constant of the same kind.
    fn constant(self, value: f64) -> Self;

    fn unary(self, op: Unary) -> Self;

    fn binary(self, op: Binary, other: Self) -> Self;

    /// Returns `yes` where this number is not 0, else `no`.
    fn choose(self, yes: Self, no: Self) -> Self;

    /// Whether it is known to be 0.
    fn is_zero(self) -> bool;

    /// Returns 0 where this number is 0, else `value`.
    fn unless_zero(self, value: impl FnOnce() -> Self) -> Self;

    /// Returns the part of a tangent that comes from an operand with this tangent: 0 where the tangent is 0, whatever
    /// the slope.
    fn times_slope(self, slope: impl FnOnce() -> Self) -> Self {
        self.unless_zero(|| slope() * self)
    }

    fn square(self) -> Self {
        self * self
    }
}

impl Real for f64 {
    #[inline(always)]
    fn constant(self, value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn unary(self, op: Unary) -> f64 {
        op.value(self)
    }

    #[inline(always)]
    fn binary(self, op: Binary, other: f64) -> f64 {
        op.value(self, other)
    }

    #[inline(always)]
    fn choose(self, yes: f64, no: f64) -> f64 {
        if self != 0.0 { yes } else { no }
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0.0
    }

    #[inline(always)]
    fn unless_zero(self, value: impl FnOnce() -> f64) -> f64 {
        if self == 0.0 { 0.0 } else { value() }
    }
}

/// Gives a type whose numbers write code the operators of arithmetic, by [`Real::unary`] and [`Real::binary`].
macro_rules! real_operators {
    ([$($life:lifetime),*] $kind:ty) => {
        impl<$($life),*> std::ops::Neg for $kind {
            type Output = Self;

            fn neg(self) -> Self {
                self.unary($crate::block::Unary::Neg)
            }
        }
        real_operators!([$($life),*] $kind, Add add, Sub sub, Mul mul, Div div);
    };
    ([$($life:lifetime),*] $kind:ty, $($op:ident $function:ident),*) => {
        real_operators!(@each [$(($op $function)),*] [$($life),*] $kind);
    };
    (@each [($op:ident $function:ident) $(, $rest:tt)*] $lives:tt $kind:ty) => {
        real_operators!(@one $op $function $lives $kind);
        real_operators!(@each [$($rest),*] $lives $kind);
    };
    (@each [] $lives:tt $kind:ty) => {};
    (@one $op:ident $function:ident [$($life:lifetime),*] $kind:ty) => {
        impl<$($life),*> std::ops::$op for $kind {
            type Output = Self;

            fn $function(self, other: Self) -> Self {
                self.binary($crate::block::Binary::$op, other)
            }
        }
    };
}

pub(crate) use real_operators;
