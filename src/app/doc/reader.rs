//! Reads the names of signals and blocks in attributes of the document, and notes which models they lead through, so
//! that what was read is read again only if one of these has changed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::block::Registry;
use crate::model::{BlockAddress, BlockId, BlockKind, Model, SignalKey, Simulation};

/// Reads names in one state of the document.
pub struct NameReader<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    /// The models that the names have led through.
    models: RefCell<BTreeMap<Arc<str>, Arc<Model>>>,
    has_unknown: Cell<bool>,
}

impl<'a> NameReader<'a> {
    pub fn new(simulation: &'a Simulation, registry: &'a Registry) -> NameReader<'a> {
        NameReader { simulation, registry, models: RefCell::default(), has_unknown: Cell::new(false) }
    }

    /// Reads the name of a signal; a signal that no longer exists is not an error, it is not shown.
    pub fn signal(&self, text: &str) -> Option<SignalKey> {
        let found = SignalKey::parse(text, self.simulation, self.registry).ok();
        match &found {
            Some(signal) => self.note(&signal.path, Some(signal.block)),
            None => self.has_unknown.set(true),
        }
        found
    }

    /// Reads the address of a block and the rest of the text after it.
    pub fn block(&self, text: &str) -> Option<(BlockAddress, Option<String>)> {
        let found = BlockAddress::parse_with_rest(text, self.simulation).ok();
        match &found {
            Some((address, _)) => self.note(&address.path, Some(address.block)),
            None => self.has_unknown.set(true),
        }
        found
    }

    /// Notes the models along a path, and the model of which the block at its end is an instance.
    pub fn note(&self, path: &[BlockId], block: Option<BlockId>) {
        let mut models = self.models.borrow_mut();
        let mut here = self.simulation.root_model();
        for id in path.iter().copied().map(Some).chain([block]) {
            let Some(model) = here else { return };
            models.entry(Arc::clone(&model.name)).or_insert_with(|| Arc::clone(model));
            let block = id.and_then(|id| model.block(id));
            here = block.and_then(|block| match &block.kind {
                BlockKind::Model { model } => self.simulation.model(model),
                _ => None,
            });
        }
        if let Some(inner) = here {
            models.entry(Arc::clone(&inner.name)).or_insert_with(|| Arc::clone(inner));
        }
    }

    /// Returns the models that were read; `None` if a name was unknown, which a change of any model may make known.
    pub fn models(&self) -> Option<Vec<Arc<Model>>> {
        (!self.has_unknown.get()).then(|| self.models.borrow().values().cloned().collect())
    }
}
