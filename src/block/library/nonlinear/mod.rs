//! Limits and switching.

mod backlash;
mod dead_zone;
mod dead_zone_dynamic;
mod friction;
mod hit_crossing;
mod pwm;
mod quantizer;
mod rate_limiter;
mod rate_limiter_dynamic;
mod relay;
mod saturate;
mod saturate_dynamic;
mod variable_pulse;
mod wrap_to_zero;

use crate::block::{BlockDef, Builder, Expr};

pub const DEFS: &[&BlockDef] = &[
    &saturate::DEF,
    &relay::DEF,
    &dead_zone::DEF,
    &dead_zone_dynamic::DEF,
    &saturate_dynamic::DEF,
    &quantizer::DEF,
    &rate_limiter::DEF,
    &rate_limiter_dynamic::DEF,
    &backlash::DEF,
    &friction::DEF,
    &hit_crossing::DEF,
    &pwm::DEF,
    &variable_pulse::DEF,
    &wrap_to_zero::DEF,
];

/// Adds the zero-crossing functions of an input that leaves the range between two values. The tolerance avoids repeated
/// crossings of an input that stays at an end of the range.
fn crossing_beyond<'b>(b: &'b Builder<'b>, u: Expr<'b>, low: Expr<'b>, high: Expr<'b>) {
    b.crossing(u - high - high.abs() * 1e-12);
    b.crossing(u - low + low.abs() * 1e-12);
}
