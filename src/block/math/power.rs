//! Powers and the length of a vector; at most 0.9 (pow) and 0.6 (hypot) units in the last place off.

use super::exp::{self, LN_2, Power};
use super::lanes::Function;
use super::log::{Parts, is_normal, two_and};
use super::pair::{Pair, fast_sum, flip, polynomial, product, sum};

pub(super) struct Pow;
pub(super) struct Hypot;

/// `e^(y ln x)`; the logarithm to about 64 bits.
impl Function<2> for Pow {
    #[inline(always)]
    fn fast([x, y]: [f64; 2]) -> (f64, bool) {
        let exponent = times(y, log(0.0, x));
        (Power::of_pair(exponent).value(), is_normal(x) & (exponent.hi.abs() < exp::LARGEST))
    }

    fn slow([x, y]: [f64; 2]) -> f64 {
        let is_plain = x != 0.0 && y != 0.0 && x.is_finite() && y.is_finite() && x.abs() != 1.0;
        let is_whole = y == y.trunc();
        if !is_plain || x < 0.0 && !is_whole {
            return libm::pow(x, y);
        }
        let is_odd = (0.5 * y) != (0.5 * y).trunc();
        let sign = if x < 0.0 && is_odd { x.to_bits() } else { 0 };
        let size = x.abs();
        let log = match is_normal(size) {
            true => log(0.0, size),
            false => log(-54.0, size * (1u64 << 54) as f64),
        };
        // Beyond, the power is 0 or infinite, and a product might be neither.
        let is_far = (y * log.hi).abs() > 1000.0;
        let exponent = if is_far { Pair::new(y * log.hi, 0.0) } else { times(y, log) };
        flip(exp::scaled(exponent, 0), sign)
    }
}

#[inline(always)]
fn times(y: f64, log: Pair) -> Pair {
    let exponent = product(y, log.hi);
    Pair::new(exponent.hi, exponent.lo + y * log.lo)
}

const ATANH: [f64; 7] = [
    0.20000000000001136,
    0.14285714285045617,
    0.11111111260738163,
    0.09090892112975997,
    0.07693382029557723,
    0.06628328094831688,
    0.06598935378720315,
];
const THIRD: Pair = Pair { hi: 0.3333333333333333, lo: 1.850371707708594e-17 };

/// `ln x + more ln 2` of a positive normal number, as [`super::log`] has it, with more of the series as pairs.
#[inline(always)]
fn log(more: f64, x: f64) -> Pair {
    let parts = Parts::of(x);
    let exponent = parts.exponent + more;
    let f = Pair::new(parts.fraction - 1.0, 0.0);
    let s = f.over(two_and(f));
    let mut z = product(s.hi, s.hi);
    z.lo += 2.0 * s.hi * s.lo;
    let third = product(z.hi, THIRD.hi);
    // artanh(s) / s - 1.
    let rest = fast_sum(third.hi, z.hi * z.hi * polynomial(z.hi, &ATANH));
    let rest = Pair::new(rest.hi, rest.lo + (third.lo + (z.hi * THIRD.lo + z.lo * THIRD.hi)));
    let tail = product(2.0 * s.hi, rest.hi);
    let head = fast_sum(exponent * LN_2[0], 2.0 * s.hi);
    let all = fast_sum(head.hi, tail.hi);
    let low = tail.lo + 2.0 * (s.hi * rest.lo + s.lo * rest.hi + s.lo);
    fast_sum(all.hi, head.lo + (all.lo + (low + exponent * LN_2[1])))
}

impl Function<2> for Hypot {
    #[inline(always)]
    fn fast([a, b]: [f64; 2]) -> (f64, bool) {
        let (a, b) = (a.abs(), b.abs());
        let (a, b) = (if a > b { a } else { b }, if a > b { b } else { a });
        let (squares, small) = (product(a, a), product(b, b));
        let both = sum(squares.hi, small.hi);
        let root = Pair::new(both.hi, both.lo + (squares.lo + small.lo)).sqrt();
        (root.value(), (a > 1e-100) & (a < 1e150) & (b < 1e150))
    }

    fn slow([a, b]: [f64; 2]) -> f64 {
        libm::hypot(a, b)
    }
}
