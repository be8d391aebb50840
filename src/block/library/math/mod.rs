//! Arithmetic within a step.

mod abs;
mod assignment;
mod bias;
mod dot_product;
mod function;
mod gain;
mod increment;
pub(super) mod integrate;
mod min_max;
mod multiply;
mod polynomial;
mod product;
mod rescale;
mod rounding;
mod running_min_max;
mod sign;
mod sine_function;
mod slider_gain;
mod sqrt;
mod step_time_math;
mod sum;
mod trigonometry;
mod unary_minus;

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
    &bias::DEF,
    &slider_gain::DEF,
    &unary_minus::DEF,
    &sign::DEF,
    &sqrt::DEF,
    &rounding::DEF,
    &dot_product::DEF,
    &polynomial::DEF,
    &sine_function::DEF,
    &running_min_max::DEF,
    &assignment::DEF,
    &rescale::DEF,
    &step_time_math::DEF,
    &increment::DEF,
];
