//! Random models: every engine gives the bits of the reference engine.
//!
//! `models` draws models of single values, `vectors` networks of wide vectors; both are for other tests, too. Random
//! numbers of blocks are in `block`.

mod buses;
pub mod engines;
pub mod models;
pub mod vectors;
