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

/// What the field calls blocks whose file names come from the original program.
const TITLES: &[(&BlockDef, &str)] =
    &[(&var::static_value::DEF, "Constant"), (&var::ramp::DEF, "Triangle"), (&var::line::DEF, "Ramp")];

/// Blocks that files may hold and that are not offered, since another does the same and more.
const UNLISTED: &[&BlockDef] = &[&math::integrate::DEF];

/// What a block is called where that is not its file name.
pub fn title_of(group: &str, name: &str) -> Option<&'static str> {
    let is_it = |def: &BlockDef| def.name == name && def.group == group;
    TITLES.iter().find(|(def, _)| is_it(def)).map(|(_, title)| *title)
}

/// What a group is called, by its file name.
pub fn group_title(group: &str) -> &str {
    if group == "Var" { "Sources" } else { group }
}

/// Whether a block is offered to who looks for one.
pub fn is_listed(def: &BlockDef) -> bool {
    !UNLISTED.iter().any(|other| other.name == def.name && other.group == def.group)
}

/// What feeds an example: a block that gives the values of a list one after the other, and the parameter with the list.
pub fn sequence() -> (&'static BlockDef, &'static str) {
    (&var::repeating_stair::DEF, "Values")
}

/// What an input is given that is to have 0.
pub fn zero() -> &'static BlockDef {
    &var::ground::DEF
}

/// What ends an algebraic loop: the block, its input and its output.
pub fn unit_delay() -> (&'static BlockDef, &'static str, &'static str) {
    (&discrete::unit_delay::DEF, "Input", "Output")
}

/// A block that makes one vector of several numbers, and the parameter that says of how many.
pub fn join() -> (&'static BlockDef, &'static str) {
    (&routing::mux::DEF, "Inputs")
}
