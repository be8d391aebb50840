//! Where the signal of an input comes from, seen through models that one state has as a group.

use std::sync::Arc;

use super::matching::Matching;
use super::state::Site;
use crate::model::{BlockKind, Connection};

/// Deeper groups are a ring of wires.
const MAX_DEPTH: usize = 1000;

/// The output that an input is connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub site: Site,
    pub output: Arc<str>,
}

impl Matching<'_> {
    /// The output behind a wire.
    pub fn source(&self, side: usize, model: usize, wire: &Connection) -> Option<Source> {
        let state = &self.states[side];
        let mut source = Source { site: Site { model, block: wire.from }, output: Arc::clone(&wire.output) };
        for _ in 0..MAX_DEPTH {
            let at = state.models[source.site.model];
            let next = match &at.block(source.site.block)?.kind {
                // Through an entry to what the instance is connected to.
                BlockKind::Entry { name } => match self.groups[side].get(&source.site.model) {
                    Some(group) => {
                        let around = state.models[group.instance.model];
                        (group.instance.model, around.source(group.instance.block, name)?)
                    }
                    None => return Some(source),
                },
                // Through an exit into the group.
                BlockKind::Model { model } => {
                    let Some(inner) = state.number(model).filter(|inner| self.groups[side].contains_key(inner)) else {
                        return Some(source);
                    };
                    let within = state.models[inner];
                    let (exit, _) = within.exits().find(|(_, name)| ***name == *source.output)?;
                    (inner, within.sources(exit.id).next()?)
                }
                _ => return Some(source),
            };
            source = Source { site: Site { model: next.0, block: next.1.from }, output: Arc::clone(&next.1.output) };
        }
        None
    }

    /// Whether a block only carries signals into or out of a group.
    pub fn is_dissolved(&self, side: usize, site: Site) -> bool {
        let state = &self.states[side];
        match state.block(site).map(|block| &block.kind) {
            Some(BlockKind::Entry { .. } | BlockKind::Exit { .. }) => self.groups[side].contains_key(&site.model),
            Some(BlockKind::Model { model }) => {
                state.number(model).is_some_and(|model| self.groups[side].contains_key(&model))
            }
            _ => false,
        }
    }
}
