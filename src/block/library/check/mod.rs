//! Checks of signals, which warn, pause or stop a run when they fail.

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
