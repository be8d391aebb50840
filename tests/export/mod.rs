//! Exported C code computes the bits of the reference engine, with every compiler that is here; so do FMUs of it.

mod bench;
mod blocks;
mod code;
mod fmu;
mod functions;
mod random;
