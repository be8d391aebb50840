//! Blocks that route signals.

mod bus_assignment;
mod bus_creator;
mod bus_selector;
mod demux;
mod from;
mod goto;
mod index_vector;
mod manual_switch;
mod multiport_switch;
pub(super) mod mux;
mod selector;
mod store_memory;
mod store_read;
mod store_write;
mod switch;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &switch::DEF,
    &mux::DEF,
    &demux::DEF,
    &bus_creator::DEF,
    &bus_selector::DEF,
    &bus_assignment::DEF,
    &manual_switch::DEF,
    &multiport_switch::DEF,
    &index_vector::DEF,
    &selector::DEF,
    &goto::DEF,
    &from::DEF,
    &store_memory::DEF,
    &store_read::DEF,
    &store_write::DEF,
];
