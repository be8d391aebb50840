//! Exports a program for use outside of this one.
//!
//! [`c`] writes C code with the same bits, [`fmu`] the files of an FMU with that code. This layer sees blocks, models
//! and the engine, and writes no file.

pub mod c;
pub mod fmu;
