//! True is 1, false is 0; whatever is not 0 counts as true.

mod compare;
mod gate;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&compare::DEF, &gate::DEF];
