//! States that the solver carries through time.

mod integrator;
mod transfer_function;
mod transport_delay;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] = &[&integrator::DEF, &transfer_function::DEF, &transport_delay::DEF];
