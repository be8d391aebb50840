//! How a fit proceeds, and where it is.

use std::num::NonZeroUsize;

use crate::optimize::MinimizeOptions;

/// How a fit proceeds.
#[derive(Clone, Debug)]
pub struct FitOptions {
    pub minimize: MinimizeOptions,
    /// The number of starts: the values of the file, and others between the bounds.
    pub starts: usize,
    /// Chooses the other starts.
    pub seed: u64,
    /// The number of starts that run at the same time.
    pub workers: NonZeroUsize,
    /// The probability of confidence intervals, below 1.
    pub level: f64,
    /// Whether intervals of profile likelihood are computed, which takes many more runs.
    pub has_profiles: bool,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        FitOptions {
            minimize: MinimizeOptions::default(),
            starts: 1,
            seed: 0,
            workers,
            level: 0.95,
            has_profiles: false,
        }
    }
}

/// Where a fit is.
#[derive(Clone, Debug, PartialEq)]
pub struct FitProgress {
    /// The number of the start, from 0.
    pub start: usize,
    pub iteration: u64,
    /// The values of the parameters.
    pub values: Vec<f64>,
    /// The weighted sum of squares, or of losses.
    pub sum: f64,
}
