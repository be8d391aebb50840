//! The arguments that several calls have.

use crate::rpc::argument::{ArgumentDef, ArgumentKind};

/// The argument that names the simulation.
pub const FILE: ArgumentDef = ArgumentDef::optional(
    "file",
    ArgumentKind::Text,
    "The file of the simulation, relative to the folder; it is opened and stays open with its changes [default: the only open one]",
);

/// The argument that bounds a text.
pub const LIMIT: ArgumentDef = ArgumentDef::optional(
    "limit",
    ArgumentKind::Integer { least: 500, most: 200_000 },
    "The maximum number of characters of the answer [default: 20000]",
);
