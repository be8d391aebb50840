//! The size and the seed of a design, and the streams of its random numbers.

/// The number of points and coordinates of a design, and its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DesignSize {
    /// The number of samples: points, trajectories or base points.
    pub samples: u64,
    /// The number of coordinates of a point.
    pub dims: usize,
    pub seed: u64,
}

/// The streams of random numbers of this room: none shares its numbers with another one.
pub(super) const RANDOM: f64 = 1.0;
pub(super) const PARTS: f64 = 2.0;
pub(super) const WITHIN_PART: f64 = 3.0;
pub(super) const SOBOL: f64 = 4.0;
pub(super) const DIGITS: f64 = 5.0;
pub(super) const ORDER: f64 = 6.0;
pub(super) const STARTS: f64 = 7.0;
pub(super) const RESAMPLES: f64 = 8.0;

/// Keeps a number of [0, 1] off the ends, where quantiles of distributions may be infinite.
pub(super) fn inner(value: f64) -> f64 {
    value.clamp(f64::EPSILON / 4.0, 1.0 - f64::EPSILON / 2.0)
}
