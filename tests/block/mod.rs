//! Definitions of blocks: the library, the tape builder, the mathematics, and what blocks refuse.
//!
//! Values of blocks are compared with other programs in `reference` and with formulas in `closed_forms`.

mod builder;
pub mod code;
mod equations;
mod extremes;
mod files;
mod library;
mod math;
mod names;
mod random_sources;
mod random_statistics;
pub mod refusals;
