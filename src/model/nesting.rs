//! Which model stands inside which: the order from the inside out, and the rings that have no inside.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Block, BlockId, BlockKind, Model, Simulation};

/// The models of a simulation by their nesting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nesting {
    /// Every model behind all models that it uses, as far as that can be.
    pub order: Vec<Arc<str>>,
    /// Endless nestings: the model blocks, each in its model, that lead from a model back into it.
    pub rings: Vec<Vec<(Arc<str>, BlockId)>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Open,
    Done,
}

/// Walks all models; needs no stack of its own however deep they are nested.
pub fn nesting(simulation: &Simulation) -> Nesting {
    let mut nesting = Nesting::default();
    let mut marks: BTreeMap<&str, Mark> = BTreeMap::new();
    for start in simulation.models_in_order() {
        if marks.contains_key(&*start.name) {
            continue;
        }
        marks.insert(&start.name, Mark::Open);
        let mut path = vec![Level { model: start, uses: uses_in(start), via: None }];
        while let Some(level) = path.last_mut() {
            let model = level.model;
            let Some(block) = level.uses.next() else {
                marks.insert(&model.name, Mark::Done);
                nesting.order.push(Arc::clone(&model.name));
                path.pop();
                continue;
            };
            let BlockKind::Model { model: name } = &block.kind else { continue };
            let Some(inner) = simulation.model(name) else { continue };
            match marks.get(&*inner.name) {
                Some(Mark::Done) => {}
                Some(Mark::Open) => {
                    let from = path.iter().position(|level| level.model.name == inner.name).unwrap_or(0);
                    let mut ring: Vec<_> = path[from + 1..]
                        .iter()
                        .zip(&path[from..])
                        .filter_map(|(level, outer)| Some((Arc::clone(&outer.model.name), level.via?)))
                        .collect();
                    ring.push((Arc::clone(&model.name), block.id));
                    nesting.rings.push(ring);
                }
                None => {
                    marks.insert(&inner.name, Mark::Open);
                    let via = Some(block.id);
                    path.push(Level { model: inner, uses: uses_in(inner), via });
                }
            }
        }
    }
    nesting
}

/// Removes model blocks until no nesting is endless: of each ring the last one in file order. Returns what was removed.
pub fn break_rings(simulation: &mut Simulation) -> Vec<(Arc<str>, BlockId)> {
    let mut removed = Vec::new();
    loop {
        let rings = nesting(simulation).rings;
        if rings.is_empty() {
            return removed;
        }
        let mut now = BTreeSet::new();
        for ring in rings {
            // One removal often breaks several rings.
            if ring.iter().any(|use_of| now.contains(use_of)) {
                continue;
            }
            let place = |(name, id): &(Arc<str>, BlockId)| {
                let model = simulation.model(name);
                let block = model.and_then(|model| model.block(*id));
                (model.map(|model| model.seq), block.map(|block| block.seq))
            };
            let last = ring.iter().max_by_key(|use_of| place(use_of));
            now.extend(last.cloned());
        }
        for (name, id) in &now {
            if let Some(model) = simulation.model_mut(name) {
                model.remove_blocks(&BTreeSet::from([*id]));
            }
        }
        removed.extend(now);
    }
}

struct Level<'a> {
    model: &'a Model,
    uses: Box<dyn Iterator<Item = &'a Arc<Block>> + 'a>,
    /// The block of the level above that leads here.
    via: Option<BlockId>,
}

fn uses_in(model: &Model) -> Box<dyn Iterator<Item = &Arc<Block>> + '_> {
    Box::new(model.blocks.values().filter(|block| matches!(block.kind, BlockKind::Model { .. })))
}
