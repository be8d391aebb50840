//! Exports: what a program becomes outside of this one.
//!
//! [`c`] writes C code with the same bits. This layer sees blocks, models and the engine, and writes no file.

pub mod c;
