//! Blocks whose mathematics the user writes, or brings from another program.

mod fmu;
mod formula;
mod function;
mod ode;
mod script;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&formula::DEF, &function::DEF, &ode::DEF, &script::DEF, &fmu::DEF];
