//! Annotations of the diagram, which no engine executes.

mod area;
mod text;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&text::DEF, &area::DEF];
