//! Files written from the open document: curves, pictures, reports, C code and FMUs.

mod code;
mod curves;
mod fmu;
mod picture;
mod report;
