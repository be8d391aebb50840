//! A block that is to be inserted, from the palette or another list.

use std::sync::Arc;

use crate::model::{BlockKind, CopiedModel, LibraryLink, Simulation, copy_model};

/// A block to be inserted.
#[derive(Clone, Debug)]
pub struct NewBlock {
    pub kind: BlockKind,
    /// The simulation that defines its model; `None` if the model, if any, is one of the document.
    pub from: Option<Arc<Simulation>>,
    /// The library that it comes from, which its copy remembers.
    pub link: Option<LibraryLink>,
    /// Its main value, or the name of a port or subsystem, if it was typed with the kind: `gain 2.5`, `exit speed`.
    pub value: Option<String>,
}

/// How a new block continues the selected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Course {
    /// In line with it: into its wire, if it has one.
    #[default]
    InLine,
    /// On a branch of its wire, beside the blocks that the wire feeds.
    Branch,
}

impl From<BlockKind> for NewBlock {
    fn from(kind: BlockKind) -> NewBlock {
        NewBlock { kind, from: None, link: None, value: None }
    }
}

impl NewBlock {
    /// Returns the kind of the block in a simulation, with the edits that copy its model there. None if the model
    /// cannot be copied, since it contains itself.
    pub fn brought_into(self, simulation: &Arc<Simulation>) -> Option<(BlockKind, CopiedModel)> {
        match (self.kind, self.from) {
            (BlockKind::Model { model }, Some(from)) => {
                let mut copied = copy_model(&from, &model, simulation)?;
                if let Some(link) = self.link {
                    copied.link(&link);
                }
                Some((BlockKind::Model { model: Arc::clone(&copied.name) }, copied))
            }
            (kind, _) => {
                let simulation = Arc::clone(simulation);
                Some((kind, CopiedModel { name: "".into(), edits: Vec::new(), simulation }))
            }
        }
    }
}
