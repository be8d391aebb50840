//! Arithmetic within a step.

mod abs;
mod function;
mod gain;
mod integrate;
mod min_max;
mod multiply;
mod product;
mod sum;
mod trigonometry;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &gain::DEF,
    &sum::DEF,
    &multiply::DEF,
    &product::DEF,
    &abs::DEF,
    &min_max::DEF,
    &trigonometry::DEF,
    &function::DEF,
    &integrate::DEF,
];
