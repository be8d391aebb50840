//! States that change at the end of a step.

mod unit_delay;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&unit_delay::DEF];
