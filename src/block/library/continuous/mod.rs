//! Blocks with continuous states, which the solver integrates.

mod allpass;
mod analog_filter;
mod butterworth;
mod derivative;
mod integrator;
mod lead_lag;
mod notch;
mod pid;
mod pid_2dof;
mod pt1;
mod pt2;
mod second_order_integrator;
mod state_space;
mod transfer_function;
mod transport_delay;
mod variable_time_delay;
mod variable_transport_delay;
mod zero_pole;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &integrator::DEF,
    &transfer_function::DEF,
    &transport_delay::DEF,
    &derivative::DEF,
    &state_space::DEF,
    &zero_pole::DEF,
    &pt1::DEF,
    &pt2::DEF,
    &lead_lag::DEF,
    &second_order_integrator::DEF,
    &variable_time_delay::DEF,
    &butterworth::DEF,
    &analog_filter::DEF,
    &notch::DEF,
    &allpass::DEF,
    &pid::DEF,
    &pid_2dof::DEF,
    &variable_transport_delay::DEF,
];
