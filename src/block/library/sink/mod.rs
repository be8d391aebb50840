//! Where signals end.

mod display;
mod scope;
mod stop;
mod terminator;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&scope::DEF, &display::DEF, &terminator::DEF, &stop::DEF];
