//! From the document to the simulation that a run sees. The document itself keeps what is replaced here.
//!
//! | step | module | replaced |
//! |---|---|---|
//! | 1 | `variants` | model blocks with variants by instances of the chosen model |
//! | 2 | `commented` | blocks that are commented out or through by nothing, or by wires |
//! | 3 | `links` | names of tags and data stores by wires and hidden ports |
//!
//! Blocks are checked between the second and the third step, so that errors name blocks and ports of the document.

mod commented;
mod links;
mod variants;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::check::{Checked, CheckedBlocks, check_and_link};
use super::{Diagnostic, Simulation};
use crate::block::Registry;

pub(super) use variants::check_variants;

pub use commented::Commented;
pub use links::{Linked, is_hidden, is_hidden_port, link, linked_ports};
pub use variants::{ChoiceError, blocks_with_variants, choose_variants, chosen_variant, with_chosen_variants};

/// The simulation that a run sees.
pub(crate) struct Resolved<'a> {
    pub simulation: Cow<'a, Simulation>,
    /// All errors and warnings, in file order.
    pub found: Vec<Diagnostic>,
    /// The settings and ports of all blocks, by model, without those that are hidden.
    pub blocks: HashMap<Arc<str>, CheckedBlocks>,
}

/// Takes the steps after the first: the simulation has its variants chosen.
pub(crate) fn resolve<'a>(simulation: &'a Simulation, registry: &Registry) -> Resolved<'a> {
    match commented::without_commented(simulation, registry) {
        Cow::Borrowed(simulation) => checked(simulation, registry),
        Cow::Owned(simulation) => {
            let Resolved { simulation, found, blocks } = checked(&simulation, registry);
            Resolved { simulation: Cow::Owned(simulation.into_owned()), found, blocks }
        }
    }
}

fn checked<'a>(simulation: &'a Simulation, registry: &Registry) -> Resolved<'a> {
    let Checked { found, linked, blocks } = check_and_link(simulation, registry);
    Resolved { simulation: linked.simulation, found, blocks }
}
