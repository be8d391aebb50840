//! Where signals go.

mod demux;
mod mux;
mod switch;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&switch::DEF, &mux::DEF, &demux::DEF];
