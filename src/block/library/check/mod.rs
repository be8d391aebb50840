//! Blocks that look after signals: they tell the user, pause or stop a run where something is not as it should be.

mod assertion;
mod gap;
mod gradient;
mod lower_bound;
mod range;
mod resolution;
mod upper_bound;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] =
    &[&assertion::DEF, &lower_bound::DEF, &upper_bound::DEF, &range::DEF, &gap::DEF, &gradient::DEF, &resolution::DEF];
