//! Blocks with discrete states, which change at the end of a step.

mod biquad;
mod delay;
mod derivative;
mod difference;
mod digital_filter;
mod filter;
mod fir;
mod first_order;
mod first_order_hold;
mod integrator;
mod kalman;
mod lead_lag;
mod memory;
mod notch;
mod pid;
mod pid_2dof;
mod rate_transition;
mod sample_hold;
mod state_space;
mod tapped_delay;
mod transfer_function;
pub(super) mod unit_delay;
mod unit_delay_full;
mod variable_integer_delay;
mod varying_filter;
mod zero_order_hold;
mod zero_pole;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &unit_delay::DEF,
    &zero_order_hold::DEF,
    &first_order_hold::DEF,
    &memory::DEF,
    &delay::DEF,
    &variable_integer_delay::DEF,
    &tapped_delay::DEF,
    &filter::DEF,
    &fir::DEF,
    &biquad::DEF,
    &digital_filter::DEF,
    &notch::DEF,
    &transfer_function::DEF,
    &zero_pole::DEF,
    &state_space::DEF,
    &integrator::DEF,
    &difference::DEF,
    &derivative::DEF,
    &first_order::DEF,
    &lead_lag::DEF,
    &sample_hold::DEF,
    &unit_delay_full::DEF,
    &rate_transition::DEF,
    &pid::DEF,
    &pid_2dof::DEF,
    &varying_filter::DEF,
    &kalman::DEF,
];
