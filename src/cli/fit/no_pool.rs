//! Fits on a pool in a program that was built without them.

use indicatif::ProgressBar;

use super::{FitFailure, PoolFit};
use crate::block::Cancel;
use crate::calibration::{Experiment, FitOutcome};
use crate::pool::{PoolOptions, SentExperiment};

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("this program was built without pools (cargo build --features pool)")]
    Absent,
}

pub fn sent(_: &[Experiment], _: &[Vec<String>]) -> Vec<SentExperiment> {
    Vec::new()
}

impl PoolFit<'_> {
    pub fn fit(
        self,
        _: &PoolOptions,
        _: Vec<SentExperiment>,
        _: &Cancel,
        _: &ProgressBar,
    ) -> Result<FitOutcome, FitFailure> {
        Err(Failure::Absent.into())
    }
}
