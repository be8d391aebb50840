//! What users write themselves.

mod formula;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&formula::DEF];
