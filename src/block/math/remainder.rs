//! Remainders, always exact.

use super::lanes::Function;
use super::pair::{ROUNDER, flip, product};

pub(super) struct Rem;
pub(super) struct Mod;

/// With the sign of the first.
impl Function<2> for Rem {
    #[inline(always)]
    fn fast([a, b]: [f64; 2]) -> (f64, bool) {
        let (size, by) = (a.abs(), b.abs());
        let quotient = size / by;
        let number = (quotient + ROUNDER) - ROUNDER;
        // So many bits that the product is exact, and then all that follows.
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

/// With the sign of the second; the first itself where the second is 0.
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
