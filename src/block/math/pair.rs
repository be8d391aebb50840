//! Numbers of twice the precision: the sum of two doubles, the second much smaller than the first.
//!
//! Sums after Knuth and Dekker, products after Dekker (A floating-point technique for extending the available
//! precision, 1971), with a split by masking. No fused multiply-add: its bits would differ where it is missing.

#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub hi: f64,
    pub lo: f64,
}

/// `a + b` exactly, where `a` is 0 or not smaller than `b` in size.
#[inline(always)]
pub(super) fn fast_sum(a: f64, b: f64) -> Pair {
    let hi = a + b;
    Pair { hi, lo: (a - hi) + b }
}

/// `a + b` exactly.
#[inline(always)]
pub(super) fn sum(a: f64, b: f64) -> Pair {
    let hi = a + b;
    let of_b = hi - a;
    Pair { hi, lo: (a - (hi - of_b)) + (b - of_b) }
}

/// The leading 26 bits and the rest.
#[inline(always)]
pub(super) fn split(a: f64) -> (f64, f64) {
    let hi = f64::from_bits(a.to_bits() & !0x7FF_FFFF);
    (hi, a - hi)
}

/// `a * b` to about 104 bits; exactly where one of them has at most 26. Away from overflow and underflow.
#[inline(always)]
pub(super) fn product(a: f64, b: f64) -> Pair {
    let hi = a * b;
    let ((a_hi, a_lo), (b_hi, b_lo)) = (split(a), split(b));
    Pair { hi, lo: ((a_hi * b_hi - hi) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo }
}

impl Pair {
    #[inline(always)]
    pub fn new(hi: f64, lo: f64) -> Pair {
        Pair { hi, lo }
    }

    /// The sum to about 100 bits; `other` is not the larger one.
    #[inline(always)]
    pub fn plus(self, other: Pair) -> Pair {
        let sum = fast_sum(self.hi, other.hi);
        Pair { hi: sum.hi, lo: sum.lo + (self.lo + other.lo) }
    }

    /// The product to about 100 bits.
    #[inline(always)]
    pub fn times(self, by: Pair) -> Pair {
        let high = product(self.hi, by.hi);
        Pair { hi: high.hi, lo: high.lo + (self.hi * by.lo + self.lo * by.hi) }
    }

    /// The quotient to about 100 bits.
    #[inline(always)]
    pub fn over(self, by: Pair) -> Pair {
        let hi = self.hi / by.hi;
        let back = product(hi, by.hi);
        let rest = ((self.hi - back.hi) - back.lo) + (self.lo - hi * by.lo);
        Pair { hi, lo: rest / by.hi }
    }

    /// The square root to about 100 bits.
    #[inline(always)]
    pub fn sqrt(self) -> Pair {
        let hi = self.hi.sqrt();
        let back = product(hi, hi);
        let rest = ((self.hi - back.hi) - back.lo) + self.lo;
        Pair { hi, lo: if hi == 0.0 { 0.0 } else { rest / (hi + hi) } }
    }

    #[inline(always)]
    pub fn value(self) -> f64 {
        self.hi + self.lo
    }
}

/// The polynomial with these coefficients, the constant first, in the order of Horner.
#[inline(always)]
pub(super) fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for index in (0..N - 1).rev() {
        sum = sum * x + coefficients[index];
    }
    sum
}

/// A double that is added and subtracted again to round to an integer, half to even, of magnitude up to 2^51; the
/// lowest bits of the sum are those of the integer.
pub(super) const ROUNDER: f64 = 6_755_399_441_055_744.0;

pub(super) const SIGN: u64 = 1 << 63;

/// `size`, negated if the highest bit of `sign` is set.
#[inline(always)]
pub(super) fn flip(size: f64, sign: u64) -> f64 {
    f64::from_bits(size.to_bits() ^ (sign & SIGN))
}

/// 2^660: scales numbers too large or too small to be squared, without loss of bits.
pub(super) const FAR: f64 = f64::from_bits((1023 + 660) << 52);
