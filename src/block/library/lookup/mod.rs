//! Lookup tables.

mod direct;
mod dynamic;
mod interpolation;
mod prelookup;
mod sine;
mod table_1d;
mod table_2d;
mod table_nd;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &table_1d::DEF,
    &table_2d::DEF,
    &table_nd::DEF,
    &direct::DEF,
    &dynamic::DEF,
    &prelookup::DEF,
    &interpolation::DEF,
    &sine::DEF,
];
