//! The library: one file a block, one folder a group of the palette.

mod check;
mod continuous;
mod control;
mod discrete;
mod flow;
mod index;
mod linear;
mod logic;
mod lookup;
mod math;
mod matrix;
mod matrix_math;
mod nonlinear;
mod routing;
mod signal;
mod sink;
mod table;
mod user;
mod var;
mod verdict;

use super::BlockDef;

/// All blocks, group by group as the palette shows them.
pub const GROUPS: &[&[&BlockDef]] = &[
    var::DEFS,
    math::DEFS,
    continuous::DEFS,
    discrete::DEFS,
    nonlinear::DEFS,
    logic::DEFS,
    lookup::DEFS,
    matrix::DEFS,
    routing::DEFS,
    flow::DEFS,
    signal::DEFS,
    sink::DEFS,
    check::DEFS,
    user::DEFS,
];

pub fn defs() -> impl Iterator<Item = &'static BlockDef> {
    GROUPS.iter().flat_map(|group| group.iter().copied())
}
