//! The positions of models, blocks and connections in the text of a file.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::{BlockId, Connection, Diagnostic, InputKey, PortRef, TextPosition};

/// The positions of the valid tags. Empty for a binary format.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    root: Option<TextPosition>,
    models: HashMap<Arc<str>, ModelPositions>,
}

#[derive(Clone, Debug)]
struct ModelPositions {
    tag: TextPosition,
    blocks: HashMap<BlockId, TextPosition>,
    /// The connections, by input.
    inputs: HashMap<InputKey, TextPosition>,
    /// The first connection of each output.
    outputs: HashMap<(BlockId, Arc<str>), TextPosition>,
}

impl SourceMap {
    pub fn simulation(&self) -> Option<TextPosition> {
        self.root
    }

    pub fn model(&self, model: &str) -> Option<TextPosition> {
        self.models.get(model).map(|positions| positions.tag)
    }

    pub fn block(&self, model: &str, block: BlockId) -> Option<TextPosition> {
        self.models.get(model)?.blocks.get(&block).copied()
    }

    pub fn connection(&self, model: &str, key: &InputKey) -> Option<TextPosition> {
        self.models.get(model)?.inputs.get(key).copied()
    }

    /// Adds the text position to a diagnostic: that of the connection at its port, else of its block, else of its
    /// model, else of the simulation.
    pub fn locate(&self, diagnostic: &mut Diagnostic) {
        let location = &mut diagnostic.location;
        if location.text.is_some() {
            return;
        }
        let Some(positions) = location.model.as_ref().and_then(|model| self.models.get(model)) else {
            location.text = self.root;
            return;
        };
        let block = location.block.and_then(|block| positions.blocks.get(&block));
        let port = location.block.and_then(|block| match location.port.as_ref()? {
            PortRef::Input(name) => positions.inputs.get(&InputKey { block, input: Arc::clone(name) }),
            PortRef::Output(name) => positions.outputs.get(&(block, Arc::clone(name))),
        });
        location.text = port.or(block).copied().or(Some(positions.tag));
    }

    pub(super) fn set_simulation(&mut self, position: TextPosition) {
        self.root = Some(position);
    }

    pub(super) fn add_model(&mut self, model: &Arc<str>, tag: TextPosition) {
        let positions = ModelPositions { tag, blocks: HashMap::new(), inputs: HashMap::new(), outputs: HashMap::new() };
        self.models.insert(Arc::clone(model), positions);
    }

    pub(super) fn add_block(&mut self, model: &str, block: BlockId, position: TextPosition) {
        if let Some(positions) = self.models.get_mut(model) {
            positions.blocks.insert(block, position);
        }
    }

    pub(super) fn add_connection(&mut self, model: &str, connection: &Connection, position: TextPosition) {
        if let Some(positions) = self.models.get_mut(model) {
            positions.inputs.insert(connection.key(), position);
            positions.outputs.entry((connection.from, Arc::clone(&connection.output))).or_insert(position);
        }
    }
}
