//! Checks and inference before a run, and the migration of a run to an edited diagram.

mod buses;
mod limits;
pub mod migration;
mod sample_times;
mod tags_and_stores;
