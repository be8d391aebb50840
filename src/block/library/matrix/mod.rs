//! Vectors as matrices, row after row.

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[];
