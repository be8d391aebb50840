//! Merges two states of a document that came from one: the result has the changes of both.
//!
//! | module | contents |
//! |---|---|
//! | `align` | gives the three states the same ids and names, wherever one of them has changed these |
//! | `regroup` | groups and expands blocks in a state as another state has done |
//! | `three_way` | the value of three, and the order of a list of three |
//! | `tag` | attributes, and the content of blocks |
//! | `content` | blocks, wires and variables of a model |
//! | `whole` | the simulation and its models |
//! | `problems` | problems that the result has and neither side had |
//!
//! A property that both sides changed in different ways is a [`Conflict`] in the attributes of the result; the layout is
//! merged without one. The states are aligned first: a block that one side has grouped, moved, renamed or renumbered is
//! then at the same place in all three. After that, ids and names alone say what belongs together.

mod align;
mod content;
mod problems;
mod regroup;
mod tag;
mod three_way;
mod whole;

use crate::block::Registry;
use crate::model::{Conflict, Diagnostic, Holder, Simulation, conflicts};

/// The result of a merge.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Its conflicts are in its attributes.
    pub simulation: Simulation,
}

impl Merged {
    /// Returns the conflicts, in the order of the file.
    pub fn conflicts(&self) -> Vec<(Holder, Conflict)> {
        conflicts(&self.simulation)
    }
}

/// Merges what both sides have made of a state. The problems that `diagnose` finds in the result and in neither side are
/// conflicts too.
pub fn merge(
    (base, ours, theirs): (&Simulation, &Simulation, &Simulation),
    registry: &Registry,
    diagnose: &dyn Fn(&Simulation) -> Vec<Diagnostic>,
) -> Merged {
    if ours == theirs || base == theirs {
        return Merged { simulation: ours.clone() };
    }
    if base == ours {
        return Merged { simulation: theirs.clone() };
    }
    let aligned = align::align([base, ours, theirs], registry);
    let [base, ours, theirs] = &aligned.states;
    let mut merged = whole::merged(base, ours, theirs);
    merged.add(aligned.conflicts);
    if merged.conflicts.is_empty() {
        let problems = problems::new_problems(&merged.simulation, [ours, theirs], diagnose);
        merged.add(problems);
    }
    Merged { simulation: merged.finish() }
}
