//! What a signal is, and filters of its form.

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[];
