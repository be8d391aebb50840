//! Limits and switching.

mod relay;
mod saturate;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&saturate::DEF, &relay::DEF];
