//! Sine, cosine and tangent, in radians; at most 0.6, 0.6 and 0.7 units in the last place off.
//!
//! The argument is reduced to a pair in [-π/4, π/4] with π/2 in three pieces (Cody and Waite); there, polynomials of
//! least largest error. Huge arguments, and those closest to multiples of π/2, go to `libm`.

use super::lanes::Function;
use super::pair::{Pair, ROUNDER, fast_sum, flip, polynomial, product};

pub(super) struct Sin;
pub(super) struct Cos;
pub(super) struct Tan;

impl Function<1> for Sin {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let (rest, quadrant, is_right) = reduce(x.abs());
        (flip(wave(rest, quadrant), x.to_bits()), is_right)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        libm::sin(x)
    }
}

impl Function<1> for Cos {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let (rest, quadrant, is_right) = reduce(x.abs());
        (wave(rest, quadrant.wrapping_add(1)), is_right)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        libm::cos(x)
    }
}

impl Function<1> for Tan {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let (rest, quadrant, is_right) = reduce(x.abs());
        // Two errors meet here, so the square is taken exactly.
        let (sin, cos) = (sine(rest), cosine(rest, product(rest.hi, rest.hi).lo));
        let (sin, cos) = (fast_sum(sin.hi, sin.lo), fast_sum(cos.hi, cos.lo));
        let is_odd = quadrant & 1 != 0;
        let top = Pair { hi: if is_odd { cos.hi } else { sin.hi }, lo: if is_odd { cos.lo } else { sin.lo } };
        let bottom = Pair { hi: if is_odd { sin.hi } else { cos.hi }, lo: if is_odd { sin.lo } else { cos.lo } };
        (flip(top.over(bottom).value(), x.to_bits() ^ (quadrant << 63)), is_right)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        libm::tan(x)
    }
}

/// Above, multiples of π/2 are no longer exact.
const LARGEST: f64 = 1_048_576.0;
/// A multiple of π/2 is known to about its 2^-120th part.
const CLOSEST: f64 = 1.0 / (1u64 << 60) as f64;

/// π/2 in pieces of 33, 33 and 53 bits.
const HALF_PI: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];

/// What is left of a positive number beside the nearest multiple of π/2, and in its lowest bits which multiple.
#[inline(always)]
fn reduce(x: f64) -> (Pair, u64, bool) {
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUNDER;
    let number = shifted - ROUNDER;
    let first = x - number * HALF_PI[0];
    let second = number * HALF_PI[1];
    let hi = first - second;
    let lo = ((first - hi) - second) - number * HALF_PI[2];
    let rest = fast_sum(hi, lo);
    let is_right = (x <= LARGEST) & (rest.hi.abs() >= number * CLOSEST);
    (rest, shifted.to_bits(), is_right)
}

/// The sine of so many quarter turns and a rest.
#[inline(always)]
fn wave(rest: Pair, quadrant: u64) -> f64 {
    let (sin, cos) = (sine(rest).value(), cosine(rest, 0.0).value());
    let value = if quadrant & 1 != 0 { cos } else { sin };
    flip(value, quadrant << 62)
}

const SIN: [f64; 6] = [
    -0.1666666666666663,
    0.00833333333332184,
    -0.00019841269829358503,
    2.755731353849688e-06,
    -2.505073438536119e-08,
    1.5895433008318326e-10,
];
const COS: [f64; 6] = [
    0.041666666666666595,
    -0.0013888888888873307,
    2.4801587288965237e-05,
    -2.7557314203084316e-07,
    2.087570314065877e-09,
    -1.1358617084750636e-11,
];

#[inline(always)]
fn sine(y: Pair) -> Pair {
    let z = y.hi * y.hi;
    Pair { hi: y.hi, lo: y.hi * z * polynomial(z, &SIN) + (y.lo - 0.5 * z * y.lo) }
}

/// `more` is what the square of the argument lost by rounding, or part of it.
#[inline(always)]
fn cosine(y: Pair, more: f64) -> Pair {
    let z = y.hi * y.hi;
    let half = 0.5 * z;
    let hi = 1.0 - half;
    Pair { hi, lo: ((1.0 - hi) - half) + (z * z * polynomial(z, &COS) - y.hi * y.lo - 0.5 * more) }
}
