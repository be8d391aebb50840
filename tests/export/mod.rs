//! Exported C code computes the bits of the reference engine, with every compiler that is here; so do FMUs of it.

pub mod bench;
mod blocks;
mod code;
mod fmu;
mod functions;
mod implicit;
mod misra;
mod programs;
mod random;
mod shared;
mod single;
