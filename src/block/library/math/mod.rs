//! Arithmetic within a step.

mod gain;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&gain::DEF];
