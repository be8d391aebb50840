//! Remainders, which are exact.

use super::lanes::Function;
use super::pair::{ROUNDER, flip, product};

pub(super) struct Rem;
pub(super) struct Mod;

/// The remainder with the sign of the first operand.
impl Function<2> for Rem {
    #[inline(always)]
    fn fast([a, b]: [f64; 2]) -> (f64, bool) {
        let (size, by) = (a.abs(), b.abs());
        let quotient = size / by;
        let number = (quotient + ROUNDER) - ROUNDER;
        // Few enough bits for the product and all that follows to be exact.
        let is_exact = quotient < (1u64 << 26) as f64;
        let back = product(by, number);
        let rest = (size - back.hi) - back.lo;
        let rest = if rest < 0.0 { rest + by } else { rest };
        (flip(rest, a.to_bits()), is_exact & (by > 1e-250) & (size < 1e300) & (by < 1e300))
    }

    fn slow([a, b]: [f64; 2]) -> f64 {
        libm::fmod(a, b)
    }
}

/// The remainder with the sign of the second operand; the first operand if the second is 0.
impl Function<2> for Mod {
    #[inline(always)]
    fn fast([a, b]: [f64; 2]) -> (f64, bool) {
        let (rest, is_right) = Rem::fast([a, b]);
        (with_sign_of(rest, b), is_right)
    }

    fn slow([a, b]: [f64; 2]) -> f64 {
        if b == 0.0 { a } else { with_sign_of(libm::fmod(a, b), b) }
    }
}

#[inline(always)]
fn with_sign_of(rest: f64, b: f64) -> f64 {
    if (rest != 0.0) & ((rest < 0.0) != (b < 0.0)) { rest + b } else { rest }
}
