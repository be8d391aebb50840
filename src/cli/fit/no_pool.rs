//! Fits on a pool in a program that was built without them.

use indicatif::ProgressBar;

use super::{FitArgs, FitFailure};
use crate::block::Cancel;
use crate::calibration::{Calibration, CalibrationParam, Experiment, FitOptions, FitOutcome};
use crate::components::Components;
use crate::pool::{PoolOptions, SentExperiment};

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("this program was built without pools (cargo build --features pool)")]
    Absent,
}

pub fn sent(_: &[Experiment], _: &[Vec<String>]) -> Vec<SentExperiment> {
    Vec::new()
}

#[allow(dead_code, reason = "only pools need it")]
pub struct PoolFit<'a> {
    pub args: &'a FitArgs,
    pub components: &'a Components,
    pub options: &'a FitOptions,
    pub calibration: &'a Calibration,
    pub params: Vec<CalibrationParam>,
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
