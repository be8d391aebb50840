//! Exports: what a program becomes outside of this one.
//!
//! [`c`] writes C code with the same bits, [`fmu`] what makes an FMU of that code. This layer sees blocks, models and the
//! engine, and writes no file.

pub mod c;
pub mod fmu;
