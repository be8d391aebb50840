//! Sources: blocks without inputs.

mod chirp;
mod clock;
mod counter;
mod digital_clock;
mod from_file;
mod gaussian_pulse;
pub(super) mod ground;
pub(super) mod line;
mod noise;
mod piecewise;
mod pink_noise;
mod pulse;
pub(super) mod ramp;
mod random;
mod repeating_sequence;
pub(super) mod repeating_stair;
mod signal_generator;
mod sine;
pub(super) mod static_value;
mod step;
mod waveform;
mod white_noise;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[
    &static_value::DEF,
    &ramp::DEF,
    &step::DEF,
    &sine::DEF,
    &pulse::DEF,
    &clock::DEF,
    &noise::DEF,
    &random::DEF,
    &ground::DEF,
    &line::DEF,
    &chirp::DEF,
    &signal_generator::DEF,
    &gaussian_pulse::DEF,
    &repeating_sequence::DEF,
    &piecewise::DEF,
    &repeating_stair::DEF,
    &counter::DEF,
    &digital_clock::DEF,
    &white_noise::DEF,
    &pink_noise::DEF,
    &from_file::DEF,
    &waveform::DEF,
];
