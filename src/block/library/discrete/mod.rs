//! States that change at the end of a step.

mod unit_delay;
mod zero_order_hold;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&unit_delay::DEF, &zero_order_hold::DEF];
