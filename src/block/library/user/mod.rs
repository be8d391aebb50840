//! Blocks whose mathematics the user writes, or brings from another program.

mod fmu;
mod formula;
mod function;
mod ode;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&formula::DEF, &ode::DEF, &function::DEF, &fmu::DEF];
