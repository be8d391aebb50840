//! The work of a worker: the runs of a sweep, or the searches from the starts of a fit.

#[cfg(feature = "pool")]
use std::time::Duration;

use super::bundle::SweepBundle;
use super::fit::{FitBundle, PreparedFit};
use super::message::{PoolMessage as _, PoolMessageError, kind_of};
use super::prepared::{PoolParts, PrepareError, PreparedSweep};
use crate::engine::{Curve, CurveShape, SweepFlow};

/// Work with numbered runs, ready to compute any of them. The curve of a run is a function of its number.
pub trait PreparedWork {
    /// Returns the number of runs.
    fn count(&self) -> u64;

    /// Returns the properties that the curves of all runs share.
    fn shape(&self) -> &CurveShape;

    /// Computes runs one after the other, and hands over each curve as it comes.
    fn run(&self, runs: &[u64], take: &mut dyn FnMut(Curve) -> SweepFlow);
}

/// A bundle of either kind.
pub(super) enum WorkBundle {
    Sweep(SweepBundle),
    Fit(FitBundle),
}

impl WorkBundle {
    /// Reads a bundle.
    ///
    /// # Errors
    /// If the bytes are no sound bundle of this version.
    pub fn of_bytes(bytes: &[u8]) -> Result<WorkBundle, PoolMessageError> {
        if kind_of(bytes) == Some(FitBundle::KIND) {
            FitBundle::of_bytes(bytes).map(WorkBundle::Fit)
        } else {
            SweepBundle::of_bytes(bytes).map(WorkBundle::Sweep)
        }
    }

    /// Prepares its runs.
    ///
    /// # Errors
    /// If this program cannot run it.
    pub fn prepare(&self, parts: &PoolParts) -> Result<Box<dyn PreparedWork>, PrepareError> {
        Ok(match self {
            WorkBundle::Sweep(bundle) => Box::new(PreparedSweep::new(bundle, parts)?),
            WorkBundle::Fit(bundle) => Box::new(PreparedFit::new(bundle, parts)?),
        })
    }

    /// Returns the longest time of a run.
    #[cfg(feature = "pool")]
    pub fn run_limit(&self) -> Duration {
        let limit = match self {
            WorkBundle::Sweep(bundle) => bundle.head.run_limit_ms,
            WorkBundle::Fit(bundle) => bundle.head.start_limit_ms,
        };
        Duration::from_millis(limit.max(1))
    }
}
