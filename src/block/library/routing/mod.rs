//! Where signals go.

mod demux;
mod index_vector;
mod manual_switch;
mod multiport_switch;
pub(super) mod mux;
mod selector;
mod switch;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &switch::DEF,
    &mux::DEF,
    &demux::DEF,
    &manual_switch::DEF,
    &multiport_switch::DEF,
    &index_vector::DEF,
    &selector::DEF,
];
