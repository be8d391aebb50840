//! The commands that change the model: each makes one change with a label for the undo list.
//!
//! The commands are methods of [`OpenModel`], which reads the document, the scene and the selection; they know neither
//! the view nor the gesture. `perform` carries out the commands of menus and keys on the canvas.
//!
//! | module | contents |
//! |---|---|
//! | `perform` | the commands of the canvas by their names |
//! | `changes` | the edits that the commands are made of |
//! | `clipboard`, `insert`, `delete` | blocks that come and go |
//! | `chain`, `prepared` | a block that continues the selection; a block before the document has it |
//! | `connect`, `suggest`, `target` | wires between blocks that are selected, dropped side by side, or found by name |
//! | `open_ends`, `loop_wire` | wires that stay open, and those that would close an algebraic loop |
//! | `tags` | Goto and From blocks instead of wires |
//! | `arrange`, `straighten`, `resize`, `look` | positions, sizes, colours |
//! | `sides` | the sides of a round sum, by where its signals come from |
//! | `subsystem` | subsystems from a selection, and back |
//! | `texts`, `breakpoint` | titles, values and names of signals; breakpoints on wires |

mod arrange;
pub mod breakpoint;
mod chain;
pub mod changes;
mod clipboard;
mod connect;
mod delete;
pub mod insert;
mod look;
mod loop_wire;
mod open_ends;
mod perform;
pub mod prepared;
mod resize;
mod sides;
pub mod straighten;
mod subsystem;
pub mod suggest;
mod tags;
mod target;
pub mod texts;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::interface::DocumentView;
use super::scene::{BlockView, Scene};
use super::selection::Selection;
use super::view::View;
use crate::model::{Block, BlockId, Change, Edit, EditError, ExpandError, Model, SignalKey, Simulation, TagError};

/// The open model as the edit commands see it. Each returns None if there is nothing to change.
#[derive(Clone, Copy)]
pub struct OpenModel<'a> {
    pub document: DocumentView<'a>,
    /// The model blocks from the root to it.
    pub path: &'a [BlockId],
    pub model: &'a Arc<Model>,
    pub scene: &'a Scene,
    pub selection: &'a Selection,
}

/// A change, and the selection after it, if it is another one.
#[derive(Debug)]
pub struct Edited {
    pub change: Change,
    pub selection: Option<Selection>,
}

/// Why a command on the diagram is refused.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("Select one subsystem to expand")]
    NoModelBlock,
    #[error("Expand {title}: {error}")]
    Expand { title: String, error: ExpandError },
    #[error("Select wires to replace with Goto/From")]
    NoWires,
    #[error(transparent)]
    Tags(TagError),
}

impl Edited {
    pub fn selecting(change: Change, selection: Selection) -> Edited {
        Edited { change, selection: Some(selection) }
    }
}

impl From<Change> for Edited {
    fn from(change: Change) -> Edited {
        Edited { change, selection: None }
    }
}

impl<'a> OpenModel<'a> {
    /// Returns None if the simulation has no root model.
    pub fn of(view: &'a View, scene: &'a Scene, selection: &'a Selection, document: &DocumentView<'a>) -> Option<Self> {
        let model = view.open_model(document.simulation)?;
        Some(OpenModel { document: *document, path: view.path(), model, scene, selection })
    }

    pub fn selected_blocks(&self) -> Vec<&'a Arc<Block>> {
        self.selection.blocks.iter().filter_map(|id| self.model.block(*id)).collect()
    }

    pub fn selected_views(&self) -> Vec<&'a BlockView> {
        self.selection.blocks.iter().filter_map(|id| self.scene.block(*id)).collect()
    }

    /// Returns all outputs of the selected blocks and the sources of the selected wires.
    pub fn selected_signals(&self) -> Vec<SignalKey> {
        let outputs = self.selection.blocks.iter().flat_map(|id| self.scene.outputs_of(*id));
        let wires = self.selection.wires.iter().filter_map(|key| self.model.connections.get(key));
        let sources = wires.map(|wire| (wire.from, Arc::clone(&wire.output)));
        self.signals(outputs.chain(sources).collect::<BTreeSet<_>>())
    }

    /// Returns outputs of this model as signals of the simulation.
    pub fn signals(&self, outputs: impl IntoIterator<Item = (BlockId, Arc<str>)>) -> Vec<SignalKey> {
        outputs.into_iter().map(|(block, output)| SignalKey { path: self.path.to_vec(), block, output }).collect()
    }

    /// Returns edits that store the positions computed by the layout, so that the blocks stay where they are displayed.
    fn pins(&self) -> Vec<Edit> {
        changes::pins(self.scene, self.model, |_| false)
    }

    /// Returns these edits for all blocks but some.
    fn pins_except(&self, except: &BTreeSet<BlockId>) -> Vec<Edit> {
        changes::pins(self.scene, self.model, |id| except.contains(&id))
    }

    fn applied(&self, change: &Change) -> Result<Simulation, EditError> {
        change.applied(self.document.simulation, self.document.registry)
    }
}
