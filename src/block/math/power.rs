//! Powers and the length of a vector; at most 0.8 (pow) and 0.7 (hypot) units in the last place off.

use super::exp::{self, LN_2, Power};
use super::lanes::Function;
use super::log::{Parts, is_normal, two_and};
use super::pair::{FAR, Pair, fast_sum, flip, polynomial, product, sum};

pub(super) struct Pow;
pub(super) struct Hypot;

/// `e^(y ln x)`; the logarithm to about 64 bits.
impl Function<2> for Pow {
    #[inline(always)]
    fn fast([x, y]: [f64; 2]) -> (f64, bool) {
        let exponent = Pair::new(y, 0.0).times(log(0.0, x));
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
        // Beyond this limit the power is 0 or infinite, and a product of pairs might be not-a-number.
        let is_far = (y * log.hi).abs() > 1000.0;
        let exponent = if is_far { Pair::new(y * log.hi, 0.0) } else { Pair::new(y, 0.0).times(log) };
        flip(exp::scaled(exponent, 0), sign)
    }
}

/// The coefficients of `artanh(s) / s` from `s^6` on.
const ATANH: [f64; 6] = [
    0.14285714285519044,
    0.11111111185364964,
    0.09090898097488188,
    0.07693128742942486,
    0.06633798613733158,
    0.06551489623159688,
];
const THIRD: Pair = Pair { hi: 1.0 / 3.0, lo: 1.850371707708594e-17 };
const FIFTH: Pair = Pair { hi: 0.2, lo: -1.1102230246251566e-17 };

/// `ln x + more ln 2` of a positive normal number, as [`super::log`] has it, with more of the series as pairs.
#[inline(always)]
fn log(more: f64, x: f64) -> Pair {
    let parts = Parts::of(x);
    let exponent = parts.exponent + more;
    let f = Pair::new(parts.fraction - 1.0, 0.0);
    let s = f.over(two_and(f));
    let z = s.times(s);
    let series = FIFTH.plus(Pair::new(z.hi * polynomial(z.hi, &ATANH), 0.0));
    let tail = s.times(z.times(THIRD.plus(z.times(series))));
    let head = fast_sum(exponent * LN_2[0], 2.0 * s.hi);
    let all = fast_sum(head.hi, 2.0 * tail.hi);
    fast_sum(all.hi, head.lo + (all.lo + (2.0 * (tail.lo + s.lo) + exponent * LN_2[1])))
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
        if a.is_infinite() || b.is_infinite() {
            return f64::INFINITY;
        }
        let scale = if a.abs() > 1.0 || b.abs() > 1.0 { 1.0 / FAR } else { FAR };
        let (length, _) = Hypot::fast([a * scale, b * scale]);
        length / scale
    }
}
