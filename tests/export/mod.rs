//! Exported C code computes the bits of the reference engine, with every compiler that is here.

pub mod bench;
mod blocks;
mod code;
mod functions;
mod misra;
mod random;
mod shared;
mod single;
