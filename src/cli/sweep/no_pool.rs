//! Sweeps on a pool in a program that was built without them.

use super::SweepArgs;
use crate::components::Components;
use crate::pool::PoolOptionsError;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("this program was built without pools (cargo build --features pool)")]
    Absent,
    #[error(transparent)]
    Options(#[from] PoolOptionsError),
}

pub fn run(args: &SweepArgs, _: &Components) -> Result<(String, u8), super::Failure> {
    args.pool.options().map(|options| options.addresses().map_err(Failure::Options)).transpose()?;
    Err(Failure::Absent.into())
}
