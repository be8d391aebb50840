//! Sources: what begins a diagram.

mod clock;
mod noise;
mod pulse;
mod ramp;
mod random;
mod sine;
mod static_value;
mod step;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] =
    &[&static_value::DEF, &ramp::DEF, &step::DEF, &sine::DEF, &pulse::DEF, &clock::DEF, &noise::DEF, &random::DEF];
