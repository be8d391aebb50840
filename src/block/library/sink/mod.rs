//! Sinks: blocks without outputs.

mod display;
mod scope;
mod stop;
mod terminator;
mod to_file;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&scope::DEF, &display::DEF, &terminator::DEF, &stop::DEF, &to_file::DEF];
