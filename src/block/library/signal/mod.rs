//! Blocks that convert signals and read their attributes.

mod adc;
mod convert;
mod dac;
mod initial_value;
mod probe;
mod specification;
mod unit_conversion;
mod width;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &initial_value::DEF,
    &width::DEF,
    &probe::DEF,
    &specification::DEF,
    &convert::DEF,
    &unit_conversion::DEF,
    &adc::DEF,
    &dac::DEF,
];
