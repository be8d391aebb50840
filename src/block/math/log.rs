//! Logarithms and the inverse hyperbolic functions; at most 0.6 units in the last place off.
//!
//! `ln x = k ln 2 + 2 artanh s` with `s = f / (2 + f)` a pair, for `x = 2^k (1 + f)` and `1 + f` between √½ and √2.

use super::exp::LN_2;
use super::lanes::Function;
use super::pair::{Pair, fast_sum, flip, polynomial, product, split, sum};

pub(super) struct Ln;
pub(super) struct Log10;
pub(super) struct Asinh;
pub(super) struct Acosh;
pub(super) struct Atanh;

impl Function<1> for Ln {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let parts = Parts::of(x);
        (log(parts.exponent, Pair::new(parts.fraction - 1.0, 0.0)).value(), is_normal(x))
    }

    fn slow([x]: [f64; 1]) -> f64 {
        special(x, Pair::value)
    }
}

impl Function<1> for Log10 {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let parts = Parts::of(x);
        (decimal(log(parts.exponent, Pair::new(parts.fraction - 1.0, 0.0))), is_normal(x))
    }

    fn slow([x]: [f64; 1]) -> f64 {
        special(x, decimal)
    }
}

/// For smaller arguments the function equals its argument to the last bit; larger ones would overflow in between.
const SMALL: f64 = 1.0 / (1u64 << 28) as f64;
const LARGE: f64 = 1e150;

/// `ln(1 + x + x² / (1 + √(1 + x²)))`.
impl Function<1> for Asinh {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let size = x.abs();
        let square = product(size, size);
        let under = sum(square.hi, 1.0);
        let root = Pair::new(under.hi, under.lo + square.lo).sqrt();
        let below = sum(1.0, root.hi);
        let more = square.over(Pair::new(below.hi, below.lo + root.lo));
        let all = fast_sum(size, more.hi);
        let log = log_of_one_and(fast_sum(all.hi, all.lo + more.lo)).value();
        (flip(if size < SMALL { size } else { log }, x.to_bits()), size < LARGE)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        flip(log_of_twice(x.abs()), x.to_bits())
    }
}

/// `ln(1 + (x - 1) + √(x² - 1))`.
impl Function<1> for Acosh {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let square = product(x, x);
        let under = sum(square.hi, -1.0);
        let root = fast_sum(under.hi, under.lo + square.lo).sqrt();
        let less = sum(x, -1.0);
        let more = sum(root.hi, less.hi);
        let log = log_of_one_and(fast_sum(more.hi, more.lo + (root.lo + less.lo)));
        (log.value(), (1.0..LARGE).contains(&x))
    }

    fn slow([x]: [f64; 1]) -> f64 {
        if x < 1.0 { f64::NAN } else { log_of_twice(x) }
    }
}

/// `ln(1 + 2x / (1 - x)) / 2`.
impl Function<1> for Atanh {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let size = x.abs();
        let more = Pair::new(2.0 * size, 0.0).over(fast_sum(1.0, -size));
        let log = log_of_one_and(fast_sum(more.hi, more.lo)).value();
        (flip(if size < SMALL { size } else { 0.5 * log }, x.to_bits()), size < 1.0)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        if x.abs() == 1.0 { flip(f64::INFINITY, x.to_bits()) } else { f64::NAN }
    }
}

/// `fraction 2^exponent`, the fraction between √½ and √2.
pub(super) struct Parts {
    pub exponent: f64,
    pub fraction: f64,
    /// `2^-exponent`.
    down: f64,
}

const ROOT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
const ONE: u64 = 1f64.to_bits();
const EXPONENT: u64 = 0x7FF << 52;

impl Parts {
    /// The parts of a positive normal number.
    #[inline(always)]
    pub fn of(x: f64) -> Parts {
        const WHOLE: f64 = (1u64 << 52) as f64;
        let shifted = x.to_bits().wrapping_add(ONE - ROOT_HALF);
        Parts {
            // The bits of 2^52 joined with the biased exponent are those of their sum.
            exponent: f64::from_bits((shifted >> 52) | WHOLE.to_bits()) - (WHOLE + 1023.0),
            fraction: f64::from_bits((shifted & !EXPONENT).wrapping_add(ROOT_HALF)),
            down: f64::from_bits((2 * ONE).wrapping_sub(shifted & EXPONENT)),
        }
    }
}

pub(super) fn is_normal(x: f64) -> bool {
    (f64::MIN_POSITIVE..f64::INFINITY).contains(&x)
}

const LOG: [f64; 7] = [
    0.6666666666666735,
    0.3999999999940935,
    0.2857142874368661,
    0.22222198428954926,
    0.18183572356657524,
    0.15313832106188555,
    0.1479825952801926,
];

/// `exponent ln 2 + ln(1 + f)`, `f` between √½ - 1 and √2 - 1.
#[inline(always)]
fn log(exponent: f64, f: Pair) -> Pair {
    let s = f.over(two_and(f));
    let z = s.hi * s.hi;
    let tail = 2.0 * s.lo + s.hi * z * polynomial(z, &LOG);
    let head = fast_sum(exponent * LN_2[0], 2.0 * s.hi);
    fast_sum(head.hi, head.lo + (exponent * LN_2[1] + tail))
}

#[inline(always)]
pub(super) fn two_and(f: Pair) -> Pair {
    let sum = fast_sum(2.0, f.hi);
    Pair::new(sum.hi, sum.lo + f.lo)
}

/// `ln(1 + f)` of a nonnegative number.
#[inline(always)]
fn log_of_one_and(f: Pair) -> Pair {
    let whole = sum(1.0, f.hi);
    let parts = Parts::of(whole.hi);
    let other = fast_sum(parts.fraction - 1.0, (whole.lo + f.lo) * parts.down);
    let is_plain = parts.exponent == 0.0;
    let f = Pair::new(if is_plain { f.hi } else { other.hi }, if is_plain { f.lo } else { other.lo });
    log(parts.exponent, f)
}

/// `1 / ln 10`, the first part of 26 bits.
const PER_LN_10: [f64; 2] = [0.4342944771051407, 4.798111141615973e-09];

#[inline(always)]
fn decimal(ln: Pair) -> f64 {
    let (hi, lo) = split(ln.hi);
    hi * PER_LN_10[0] + ((lo + ln.lo) * PER_LN_10[0] + ln.hi * PER_LN_10[1])
}

/// The logarithm of a number that is not positive and normal.
fn special(x: f64, finish: fn(Pair) -> f64) -> f64 {
    match x {
        0.0 => f64::NEG_INFINITY,
        x if x > 0.0 && x < 1.0 => {
            let parts = Parts::of(x * (1u64 << 54) as f64);
            finish(log(parts.exponent - 54.0, Pair::new(parts.fraction - 1.0, 0.0)))
        }
        x if x < 0.0 => f64::NAN,
        x => x,
    }
}

/// `ln 2x` of a large number, infinity or not-a-number.
fn log_of_twice(x: f64) -> f64 {
    if !is_normal(x) {
        return x;
    }
    let parts = Parts::of(x);
    log(parts.exponent + 1.0, Pair::new(parts.fraction - 1.0, 0.0)).value()
}
