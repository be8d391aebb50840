//! Remarks: they stand in the diagram and take no part in a run.

mod area;
mod text;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&text::DEF, &area::DEF];
