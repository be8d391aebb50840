//! Blocks whose mathematics the user writes.

mod formula;
mod ode;
mod script;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&formula::DEF, &ode::DEF, &script::DEF];
