//! Statistics of the samples of a signal.

mod histogram;
mod moving_average;
mod moving_rms;
mod running_mean;
mod running_variance;

use crate::block::BlockDef;

pub const DEFS: &[&BlockDef] =
    &[&moving_average::DEF, &moving_rms::DEF, &running_mean::DEF, &running_variance::DEF, &histogram::DEF];
