//! Tables.

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[];
