//! The library: one file per block, one folder per group of the palette.

mod bus;
mod check;
mod check_action;
mod code;
mod continuous;
mod control;
pub(super) mod data;
mod discrete;
mod discretized;
mod equations;
mod filter_bands;
mod filter_bessel;
mod filter_design;
mod filter_elliptic;
mod flow;
mod index;
mod linear;
mod located;
mod logic;
mod lookup;
mod math;
mod matrix;
mod matrix_math;
mod matrix_shape;
mod nonlinear;
mod note;
mod past;
mod pieces;
mod roots;
mod routing;
mod running;
mod signal;
mod sink;
mod statistics;
mod steps;
mod table;
mod transfer;
mod user;
mod var;
mod window;

use super::BlockDef;

/// All blocks by group, in the order of the palette.
pub const GROUPS: &[&[&BlockDef]] = &[
    var::DEFS,
    math::DEFS,
    continuous::DEFS,
    discrete::DEFS,
    nonlinear::DEFS,
    logic::DEFS,
    lookup::DEFS,
    statistics::DEFS,
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

/// The displayed names of blocks whose file names are those of the original program.
const TITLES: &[(&BlockDef, &str)] =
    &[(&var::static_value::DEF, "Constant"), (&var::ramp::DEF, "Triangle"), (&var::line::DEF, "Ramp")];

/// Blocks that files may contain but the palette does not offer, since another block includes their function.
const UNLISTED: &[&BlockDef] = &[&math::integrate::DEF];

impl BlockDef {
    /// Returns the displayed name, which is the field's term; files have `name`.
    pub fn title(&self) -> &'static str {
        title_of(self.group, self.name).unwrap_or(self.name)
    }

    /// Returns the displayed name of the group.
    pub fn group_title(&self) -> &'static str {
        group_title(self.group)
    }
}

/// Returns the displayed name of a block where it differs from its file name.
pub fn title_of(group: &str, name: &str) -> Option<&'static str> {
    let is_it = |def: &BlockDef| def.name == name && def.group == group;
    TITLES.iter().find(|(def, _)| is_it(def)).map(|(_, title)| *title)
}

/// Returns the displayed name of a group by its file name.
pub fn group_title(group: &str) -> &str {
    if group == "Var" { "Sources" } else { group }
}

/// Whether the palette offers a block.
pub fn is_listed(def: &BlockDef) -> bool {
    !UNLISTED.iter().any(|other| other.name == def.name && other.group == def.group)
}

/// Returns the block that feeds an example's inputs from a list of values, and its parameter with the list.
pub fn sequence() -> (&'static BlockDef, &'static str) {
    (&var::repeating_stair::DEF, "Values")
}

/// Returns the block that outputs zero.
pub fn zero() -> &'static BlockDef {
    &var::ground::DEF
}

/// Returns a block that breaks an algebraic loop, its input and its output.
pub fn unit_delay() -> (&'static BlockDef, &'static str, &'static str) {
    (&discrete::unit_delay::DEF, "Input", "Output")
}

/// Returns the block that joins scalars to a vector, and its parameter with their number.
pub fn join() -> (&'static BlockDef, &'static str) {
    (&routing::mux::DEF, "Inputs")
}
