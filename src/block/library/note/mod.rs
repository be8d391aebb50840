//! What is written beside the blocks.

mod text;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&text::DEF];
