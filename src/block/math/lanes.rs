//! One function over many lanes, in a form that compilers turn into vector instructions.
//!
//! Every function has a fast form without branches, which says itself where it does not hold, and a slow one for those
//! places. A single value and a vector of them go through the same two, so their bits cannot differ; wider registers
//! only do more lanes at once.

/// A function of `N` values.
pub(super) trait Function<const N: usize> {
    /// The value, and whether it is right.
    fn fast(args: [f64; N]) -> (f64, bool);

    /// The value where the fast form is wrong; it never is where this is not given.
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

/// Lanes that are worked on at once: enough to be worth a call, few enough to waste little where there are fewer.
pub const CHUNK: usize = 32;

/// Values of a function's arguments, lane by lane.
pub type Args<const N: usize> = [[f64; CHUNK]; N];

/// Every lane, in the widest registers there are.
pub(super) fn all<const N: usize, F: Function<N>>(args: &Args<N>, out: &mut [f64; CHUNK]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor has what the function needs.
            return unsafe { in_eights::<N, F>(args, out) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function needs.
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
