//! Evaluation of a function for many SIMD lanes, in a form that compilers vectorize.
//!
//! Every function has a fast form without branches, which also returns whether its result is valid, and a slow form for
//! the other arguments. Scalars and vectors use the same two forms, so their bits cannot differ; wider registers only
//! process more lanes at once.

#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "wider registers are used where the processor has them")
)]

/// A function of `N` values.
pub(super) trait Function<const N: usize> {
    /// Returns the value, and whether it is valid.
    fn fast(args: [f64; N]) -> (f64, bool);

    /// Returns the value where the fast form is not valid; by default it always is.
    fn slow(args: [f64; N]) -> f64 {
        Self::fast(args).0
    }
}

#[inline(always)]
pub(super) fn one<const N: usize, F: Function<N>>(args: [f64; N]) -> f64 {
    match F::fast(args) {
        (value, true) => value,
        _ => F::slow(args),
    }
}

/// The number of lanes of a call: enough to outweigh the call, few enough to waste little on short vectors.
pub const CHUNK: usize = 32;

/// The arguments of a function for all lanes.
pub type Args<const N: usize> = [[f64; CHUNK]; N];

/// Computes all lanes in the widest registers of the processor.
pub(super) fn all<const N: usize, F: Function<N>>(args: &Args<N>, out: &mut [f64; CHUNK]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor has AVX-512F and AVX-512DQ, all that the function needs.
            return unsafe { in_eights::<N, F>(args, out) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, all that the function needs.
            return unsafe { in_fours::<N, F>(args, out) };
        }
    }
    each::<N, F>(args, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn in_eights<const N: usize, F: Function<N>>(args: &Args<N>, out: &mut [f64; CHUNK]) {
    each::<N, F>(args, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn in_fours<const N: usize, F: Function<N>>(args: &Args<N>, out: &mut [f64; CHUNK]) {
    each::<N, F>(args, out);
}

#[inline(always)]
fn each<const N: usize, F: Function<N>>(args: &Args<N>, out: &mut [f64; CHUNK]) {
    let mut is_fast = true;
    for lane in 0..CHUNK {
        let (value, is_right) = F::fast(std::array::from_fn(|arg| args[arg][lane]));
        out[lane] = value;
        is_fast &= is_right;
    }
    if !is_fast {
        again::<N, F>(args, out);
    }
}

#[cold]
#[inline(never)]
fn again<const N: usize, F: Function<N>>(args: &Args<N>, out: &mut [f64; CHUNK]) {
    for lane in 0..CHUNK {
        out[lane] = one::<N, F>(std::array::from_fn(|arg| args[arg][lane]));
    }
}
