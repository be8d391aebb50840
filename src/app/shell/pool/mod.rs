//! Pools of computers: the list of them, sweeps on them, and model blocks in their workers.

#[cfg(feature = "pool")]
mod list;
pub mod remote_blocks;
#[cfg(feature = "pool")]
pub mod sweeps;
