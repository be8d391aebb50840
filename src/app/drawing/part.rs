//! The part of a diagram that is drawn.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::{BlockId, Simulation};

/// The subject of a drawing: a model, or some of its blocks.
#[derive(Clone, Debug)]
pub struct Part {
    pub model: Arc<str>,
    pub blocks: Option<BTreeSet<BlockId>>,
}

impl Part {
    /// Returns the root model, then all others that have blocks, in the order of the file.
    pub fn all(simulation: &Simulation) -> Vec<Part> {
        let mut models = simulation.models_in_order();
        models.sort_by_key(|model| model.name != simulation.root);
        let drawn = models.into_iter().filter(|model| !model.blocks.is_empty());
        drawn.map(|model| Part { model: Arc::clone(&model.name), blocks: None }).collect()
    }
}
