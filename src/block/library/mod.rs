//! The library: one file a block, one folder a group of the palette.

mod check;
mod continuous;
mod control;
mod data;
mod discrete;
mod equations;
mod flow;
mod index;
mod linear;
mod logic;
mod lookup;
mod math;
mod matrix;
mod matrix_math;
mod nonlinear;
mod note;
mod routing;
mod script;
mod signal;
mod sink;
mod steps;
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
    note::DEFS,
];

pub fn defs() -> impl Iterator<Item = &'static BlockDef> {
    GROUPS.iter().flat_map(|group| group.iter().copied())
}

/// What feeds an example: a block that gives the values of a list one after the other, and the parameter with the list.
pub fn sequence() -> (&'static BlockDef, &'static str) {
    (&var::repeating_stair::DEF, "Values")
}

/// What an input is given that is to have 0.
pub fn zero() -> &'static BlockDef {
    &var::ground::DEF
}

/// A block that makes one vector of several numbers, and the parameter that says of how many.
pub fn join() -> (&'static BlockDef, &'static str) {
    (&routing::mux::DEF, "Inputs")
}
