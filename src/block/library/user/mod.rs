//! What users write themselves.

mod formula;
mod ode;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&formula::DEF, &ode::DEF];
