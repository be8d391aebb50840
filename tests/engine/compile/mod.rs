//! What is found out about a diagram before it runs, and about an edited one during a run.

mod buses;
mod limits;
pub mod migration;
mod sample_times;
mod tags_and_stores;
