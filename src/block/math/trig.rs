//! Sine, cosine and tangent, in radians; at most 0.9 (sin, cos) and 1 (tan) units in the last place off.
//!
//! The argument is reduced to a pair in [-π/4, π/4] with π/2 in three pieces (Cody and Waite), where minimax
//! polynomials approximate the functions. Arguments above 400,000 go to `libm`, with an error of at most one unit too.

use super::lanes::Function;
use super::pair::{Pair, ROUNDER, fast_sum, flip, polynomial, product};

pub(super) struct Sin;
pub(super) struct Cos;
pub(super) struct Tan;

impl Function<1> for Sin {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let (rest, quadrant) = reduce(x.abs());
        (flip(wave(rest, quadrant), x.to_bits()), x.abs() <= LARGEST)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        libm::sin(x)
    }
}

impl Function<1> for Cos {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let (rest, quadrant) = reduce(x.abs());
        (wave(rest, quadrant.wrapping_add(1)), x.abs() <= LARGEST)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        libm::cos(x)
    }
}

impl Function<1> for Tan {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let (rest, quadrant) = reduce(x.abs());
        let rest = fast_sum(rest.hi, rest.lo);
        // Two errors add up here, so the square is computed exactly.
        let (sin, cos) = sine_and_cosine(rest, product(rest.hi, rest.hi).lo);
        let (sin, cos) = (fast_sum(sin.hi, sin.lo), fast_sum(cos.hi, cos.lo));
        let is_odd = quadrant & 1 != 0;
        let top = Pair { hi: if is_odd { cos.hi } else { sin.hi }, lo: if is_odd { cos.lo } else { sin.lo } };
        let bottom = Pair { hi: if is_odd { sin.hi } else { cos.hi }, lo: if is_odd { sin.lo } else { cos.lo } };
        let size = top.over(bottom).value();
        (flip(size, x.to_bits() ^ (quadrant << 63)), x.abs() <= LARGEST)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        libm::tan(x)
    }
}

/// Up to this limit the remainder is accurate to 0.06 units in the last place, for the double closest to each multiple
/// of π/2 and so for all: the first multiple with more cancellation is the 263,205th.
const LARGEST: f64 = 400_000.0;

/// π/2 in pieces of 33, 33 and 53 bits.
const HALF_PI: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];

/// Returns the remainder of a positive number to the nearest multiple of π/2, and the multiple in the lowest bits.
#[inline(always)]
fn reduce(x: f64) -> (Pair, u64) {
    let shifted = x * std::f64::consts::FRAC_2_PI + ROUNDER;
    let number = shifted - ROUNDER;
    let first = x - number * HALF_PI[0];
    let second = number * HALF_PI[1];
    let hi = first - second;
    (Pair { hi, lo: ((first - hi) - second) - number * HALF_PI[2] }, shifted.to_bits())
}

/// Returns the sine of a number of quarter turns and a remainder.
#[inline(always)]
fn wave(rest: Pair, quadrant: u64) -> f64 {
    let (sin, cos) = sine_and_cosine(rest, 0.0);
    let value = if quadrant & 1 != 0 { cos.value() } else { sin.value() };
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

/// Returns sine and cosine of at most π/4. `more` is the rounding error of the square of the argument, or part of it.
#[inline(always)]
fn sine_and_cosine(y: Pair, more: f64) -> (Pair, Pair) {
    let z = y.hi * y.hi;
    let half = 0.5 * z;
    let hi = 1.0 - half;
    let sin = Pair { hi: y.hi, lo: y.hi * z * polynomial(z, &SIN) + y.lo * hi };
    let lost = ((1.0 - hi) - half) - 0.5 * more;
    (sin, Pair { hi, lo: lost + (z * z * polynomial(z, &COS) - y.hi * y.lo) })
}
