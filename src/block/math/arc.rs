//! The inverse trigonometric functions, in radians; at most 0.7 units in the last place off.
//!
//! An arctangent is the angle of a point in the plane: the point is rotated by one of three known angles to a slope of
//! at most 1/4, where a minimax polynomial approximates the angle. An arcsine has such a polynomial up to 1/2, and
//! beyond it is computed from half the angle.

use super::lanes::Function;
use super::pair::{FAR, Pair, fast_sum, flip, polynomial};

pub(super) struct Asin;
pub(super) struct Acos;
pub(super) struct Atan;
pub(super) struct Atan2;

const PI: Pair = Pair { hi: std::f64::consts::PI, lo: 1.2246467991473532e-16 };
const HALF_PI: Pair = Pair { hi: std::f64::consts::FRAC_PI_2, lo: 6.123233995736766e-17 };
const QUARTER_PI: Pair = Pair { hi: std::f64::consts::FRAC_PI_4, lo: 3.061616997868383e-17 };
const ATAN_HALF: Pair = Pair { hi: 0.4636476090008061, lo: 2.2698777452961687e-17 };

impl Function<1> for Asin {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let arc = Arc::of(x.abs());
        let far = fast_sum(HALF_PI.hi, -2.0 * arc.hi);
        let far = far.hi + (far.lo + (HALF_PI.lo - 2.0 * arc.lo));
        (flip(if arc.is_far { far } else { arc.hi + arc.lo }, x.to_bits()), true)
    }
}

impl Function<1> for Acos {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let arc = Arc::of(x.abs());
        // From the nearest of the angles 0, π/2 and π.
        let is_left = x < 0.0;
        let from = if is_left { PI } else { Pair::new(0.0, 0.0) };
        let from = if arc.is_far { from } else { HALF_PI };
        let times = if arc.is_far { 2.0 } else { 1.0 };
        let times = if is_left == arc.is_far { -times } else { times };
        let sum = fast_sum(from.hi, times * arc.hi);
        (sum.hi + (sum.lo + (from.lo + times * arc.lo)), true)
    }
}

/// The arcsine of a positive number up to 1/2, or for larger ones of `√((1 - x) / 2)`, from half the complement.
struct Arc {
    hi: f64,
    lo: f64,
    is_far: bool,
}

const ASIN: [f64; 13] = [
    0.16666666666666763,
    0.07499999999970118,
    0.04464285717527161,
    0.030381942675850378,
    0.022372215892158754,
    0.017351595716781944,
    0.01398101621189418,
    0.011397310292361212,
    0.010789232608273212,
    0.0036724937912274978,
    0.02178994966616443,
    -0.02111579811418055,
    0.032701622030542596,
];

impl Arc {
    #[inline(always)]
    fn of(x: f64) -> Arc {
        let is_far = x > 0.5;
        let rest = 0.5 * (1.0 - x);
        let root = Pair::new(rest, 0.0).sqrt();
        let hi = if is_far { root.hi } else { x };
        let lo = if is_far { root.lo } else { 0.0 };
        let z = if is_far { rest } else { x * x };
        Arc { hi, lo: lo + hi * z * polynomial(z, &ASIN), is_far }
    }
}

impl Function<1> for Atan {
    #[inline(always)]
    fn fast([x]: [f64; 1]) -> (f64, bool) {
        let value = angle(Pair::new(x.abs(), 0.0), Pair::new(1.0, 0.0), HalfPlane::Right);
        (flip(value, x.to_bits()), x.abs() < 1e300)
    }

    fn slow([x]: [f64; 1]) -> f64 {
        if x.is_nan() { x } else { flip(HALF_PI.hi, x.to_bits()) }
    }
}

/// The angle of the point (x, y), with the arguments y and x.
impl Function<2> for Atan2 {
    #[inline(always)]
    fn fast([y, x]: [f64; 2]) -> (f64, bool) {
        let side = if x < 0.0 { HalfPlane::Left } else { HalfPlane::Right };
        let value = angle(Pair::new(y.abs(), 0.0), Pair::new(x.abs(), 0.0), side);
        (flip(value, y.to_bits()), is_middle(y) & is_middle(x))
    }

    fn slow([y, x]: [f64; 2]) -> f64 {
        if y.is_nan() || x.is_nan() {
            return y + x;
        }
        let (height, width) = (y.abs(), x.abs());
        let side = if x.is_sign_negative() { HalfPlane::Left } else { HalfPlane::Right };
        let is_both = height == f64::INFINITY && width == f64::INFINITY;
        let ratio = height / width;
        let value = match (is_both, side) {
            (true, HalfPlane::Left) => 3.0 * QUARTER_PI.hi,
            (true, HalfPlane::Right) => QUARTER_PI.hi,
            _ if height == 0.0 || ratio < 1e-30 => match side {
                HalfPlane::Left => PI.hi,
                // 0/0 counts as slope 0.
                HalfPlane::Right if height == 0.0 => 0.0,
                HalfPlane::Right => ratio,
            },
            _ if ratio > 1e30 => HALF_PI.hi,
            _ => {
                let scale = if height > 1.0 { 1.0 / FAR } else { FAR };
                angle(Pair::new(height * scale, 0.0), Pair::new(width * scale, 0.0), side)
            }
        };
        flip(value, y.to_bits())
    }
}

#[inline(always)]
fn is_middle(x: f64) -> bool {
    (x.abs() > 1e-90) & (x.abs() < 1e90)
}

const ATAN: [f64; 8] = [
    -0.3333333333333254,
    0.1999999999958501,
    -0.14285714211712114,
    0.11111104721343487,
    -0.09090603105545124,
    0.07683728894190718,
    -0.06525782851388358,
    0.04607631457049277,
];

/// Where a point is, seen from the origin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HalfPlane {
    Left,
    Right,
}

/// The angle of a point of this height and width, neither negative.
#[inline(always)]
fn angle(height: Pair, width: Pair, side: HalfPlane) -> f64 {
    let is_left = side == HalfPlane::Left;
    let choose =
        |on: bool, yes: Pair, no: Pair| Pair::new(if on { yes.hi } else { no.hi }, if on { yes.lo } else { no.lo });
    let is_steep = height.hi > width.hi;
    let (top, bottom) = (choose(is_steep, width, height), choose(is_steep, height, width));
    // Rotated so that the remaining slope is at most 1/4.
    let (is_some, is_much) = (top.hi >= 0.25 * bottom.hi, top.hi >= 0.75 * bottom.hi);
    let slope = if is_much { 1.0 } else { 0.5 };
    let slope = if is_some { slope } else { 0.0 };
    let turned = choose(is_some, choose(is_much, QUARTER_PI, ATAN_HALF), Pair::new(0.0, 0.0));
    let along = fast_sum(bottom.hi, slope * top.hi);
    let across = Pair::new(top.hi - slope * bottom.hi, top.lo - slope * bottom.lo);
    let t = across.over(Pair::new(along.hi, along.lo + (bottom.lo + slope * top.lo)));
    let z = t.hi * t.hi;
    let tail = turned.lo + (t.lo + t.hi * z * polynomial(z, &ATAN));
    let acute = fast_sum(turned.hi, t.hi);
    // Measured from the nearest axis.
    let axis = choose(is_steep, HALF_PI, choose(is_left, PI, Pair::new(0.0, 0.0)));
    let sign = u64::from(is_steep != is_left) << 63;
    let sum = fast_sum(axis.hi, flip(acute.hi, sign));
    sum.hi + (sum.lo + (axis.lo + flip(acute.lo + tail, sign)))
}
