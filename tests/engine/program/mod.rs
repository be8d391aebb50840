//! The values of a run: their memory, and their bytes as a checkpoint.

mod allocations;
mod checkpoint;
