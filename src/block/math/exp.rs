//! The exponential function and the hyperbolic ones; at most 0.8 (exp), 0.9 (cosh, tanh) and 1 (sinh) units in the last
//! place off.
//!
//! `e^x = 2^k e^r` with `r` a pair in [-ln 2 / 2, ln 2 / 2], where a minimax polynomial approximates it.

use super::lanes::Function;
use super::pair::{Pair, ROUNDER, fast_sum, flip, polynomial};

pub(super) struct Exp;
pub(super) struct Sinh;
pub(super) struct Cosh;
pub(super) struct Tanh;

/// Between these limits exponentials are normal numbers.
pub(super) const LARGEST: f64 = 708.0;

/// `ln 2` in pieces of 38 and 53 bits.
pub(super) const LN_2: [f64; 2] = [0.6931471805582987, 1.6465949582897082e-12];

impl Function<1> for Exp {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        (Power::of(x).value(), x.abs() < LARGEST)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        scaled(Pair::new(x, 0.0), 0)
    }
}

/// `(E + E / (E + 1)) / 2` with `E = e^x - 1`.
impl Function<1> for Sinh {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let less = Power::of(x.abs()).less_one();
        let full = fast_sum(1.0, less.hi);
        let share = less.over(Pair::new(full.hi, full.lo + less.lo));
        let sum = fast_sum(less.hi, share.hi);
        (flip(0.5 * (sum.hi + (sum.lo + (less.lo + share.lo))), x.to_bits()), x.abs() < LARGEST)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        flip(scaled(Pair::new(x.abs(), 0.0), -1), x.to_bits())
    }
}

/// `(e^x + 1 / e^x) / 2`.
impl Function<1> for Cosh {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let power = Power::of(x.abs()).pair();
        let sum = fast_sum(power.hi, 1.0 / power.hi);
        (0.5 * (sum.hi + (sum.lo + power.lo)), x.abs() < LARGEST)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        scaled(Pair::new(x.abs(), 0.0), -1)
    }
}

/// `E / (E + 2)` with `E = e^2x - 1`.
impl Function<1> for Tanh {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        // From here on it is 1.
        let size = if x.abs() > 22.0 { 22.0 } else { x.abs() };
        let less = Power::of(2.0 * size).less_one();
        let full = fast_sum(2.0, less.hi);
        // The larger of the two parts must come first.
        let full = if less.hi > 2.0 { fast_sum(less.hi, 2.0) } else { full };
        (flip(less.over(Pair::new(full.hi, full.lo + less.lo)).value(), x.to_bits()), true)
    }
}

/// `2^k (1 + rest + tail)`.
pub(super) struct Power {
    /// `k` in the lowest bits.
    shifted: u64,
    rest: f64,
    tail: f64,
}

const EXP: [f64; 10] = [
    0.1666666666666668,
    0.04166666666666532,
    0.008333333333318932,
    0.0013888888889394253,
    0.0001984126989420801,
    2.4801586741537482e-05,
    2.755723489990198e-06,
    2.755745796728565e-07,
    2.5112539532068924e-08,
    2.0934961362182945e-09,
];

impl Power {
    /// `e^x`.
    #[inline(always)]
    fn of(x: f64) -> Power {
        let (shifted, rest) = Power::reduce(x);
        Power::over(shifted, rest)
    }

    /// `e^x`, with the second part of the argument kept beside a much smaller remainder.
    #[inline(always)]
    pub fn of_pair(x: Pair) -> Power {
        let (shifted, rest) = Power::reduce(x.hi);
        Power::over(shifted, fast_sum(rest.hi, rest.lo + x.lo))
    }

    /// The remainder of a number to the nearest multiple of `ln 2`, and the multiple.
    #[inline(always)]
    fn reduce(x: f64) -> (u64, Pair) {
        let shifted = x * std::f64::consts::LOG2_E + ROUNDER;
        let number = shifted - ROUNDER;
        let first = x - number * LN_2[0];
        let second = number * LN_2[1];
        let hi = first - second;
        (shifted.to_bits(), Pair { hi, lo: (first - hi) - second })
    }

    #[inline(always)]
    fn over(shifted: u64, Pair { hi, lo }: Pair) -> Power {
        Power { shifted, rest: hi, tail: lo + hi * (lo + hi * (0.5 + hi * polynomial(hi, &EXP))) }
    }

    #[inline(always)]
    fn times(&self, a: f64) -> f64 {
        f64::from_bits(a.to_bits().wrapping_add(self.shifted << 52))
    }

    /// Without the power of two.
    #[inline(always)]
    fn factor(&self) -> Pair {
        let sum = fast_sum(1.0, self.rest);
        fast_sum(sum.hi, sum.lo + self.tail)
    }

    /// The result where it is a normal number.
    #[inline(always)]
    pub fn value(&self) -> f64 {
        self.times(self.factor().hi)
    }

    #[inline(always)]
    fn pair(&self) -> Pair {
        let two = self.times(1.0);
        let factor = self.factor();
        Pair::new(two * factor.hi, two * factor.lo)
    }

    /// The power minus 1, of a power of at least 1.
    #[inline(always)]
    fn less_one(&self) -> Pair {
        let two = self.times(1.0);
        let whole = fast_sum(two, -1.0);
        let sum = fast_sum(whole.hi, two * self.rest);
        fast_sum(sum.hi, sum.lo + (whole.lo + two * self.tail))
    }
}

/// `e^x 2^more` for any result, also subnormal or infinite.
pub(super) fn scaled(x: Pair, more: i64) -> f64 {
    match x.hi {
        x if x.is_nan() => x,
        x if x > 720.0 => f64::INFINITY,
        x if x < -760.0 => 0.0,
        _ => {
            let power = Power::of_pair(x);
            // The number's lowest bits, with its sign.
            let number = ((power.shifted << 12) as i64 >> 12) + more;
            let half = number / 2;
            power.factor().hi * two_to(half) * two_to(number - half)
        }
    }
}

/// A power of two that is a normal number.
fn two_to(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}
