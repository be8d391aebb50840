//! The differences between two states of a document; those of its layout are kept apart.
//!
//! | module | contents |
//! |---|---|
//! | `state` | one of the two states, with its models by number |
//! | `matching` | which model and which block of one state is which of the other |
//! | `groups` | blocks that were grouped into a new model or taken out of one, and blocks that moved |
//! | `sources` | where the signal of an input comes from, seen through such groups |
//! | `change` | a change, as a line of text and as data |
//! | `compare` | from the matching to the changes |
//! | `sections` | changes by model, and marks in diagrams |
//! | `take` | the edits that take one change back |
//!
//! Blocks are matched by id, then by name, by parameters and by neighbours, so that a block that was renamed, moved or
//! grouped is not one that was deleted and another that was added.

mod change;
mod compare;
pub(crate) mod groups;
pub(crate) mod matching;
mod sections;
mod sources;
pub(crate) mod state;
mod take;

pub use change::{Change, ChangeKind, Place, Subject};
pub use sections::{Mark, Section, sections};
pub use take::{can_be_taken, take};

use crate::model::Simulation;

/// Returns the changes from the first state to the second: of the simulation, of variables, then model by model in the
/// order of the second file.
pub fn diff(first: &Simulation, second: &Simulation) -> Vec<Change> {
    compare::changes(&matching::Matching::of(first, second))
}
