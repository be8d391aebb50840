//! The nesting of models: the order from the inside out, and models that contain themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{BlockId, BlockKind, Model, Simulation};

/// The models of a simulation by their nesting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nesting {
    /// All models, each after the models that it uses, except in rings.
    pub order: Vec<Arc<str>>,
    /// Endless nestings: the model blocks, each with its model, on the path from a model back to itself.
    pub rings: Vec<Vec<(Arc<str>, BlockId)>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Open,
    Done,
}

/// Visits all models, without recursion.
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
            let Some((block, name)) = level.uses.next() else {
                marks.insert(&model.name, Mark::Done);
                nesting.order.push(Arc::clone(&model.name));
                path.pop();
                continue;
            };
            let Some(inner) = simulation.model(&name) else { continue };
            match marks.get(&*inner.name) {
                Some(Mark::Done) => {}
                Some(Mark::Open) => {
                    let from = path.iter().position(|level| level.model.name == inner.name).unwrap_or(0);
                    let mut ring: Vec<_> = path[from + 1..]
                        .iter()
                        .zip(&path[from..])
                        .filter_map(|(level, outer)| Some((Arc::clone(&outer.model.name), level.via?)))
                        .collect();
                    ring.push((Arc::clone(&model.name), block));
                    nesting.rings.push(ring);
                }
                None => {
                    marks.insert(&inner.name, Mark::Open);
                    let via = Some(block);
                    path.push(Level { model: inner, uses: uses_in(inner), via });
                }
            }
        }
    }
    nesting
}

/// Removes model blocks until no nesting is endless, the last one of each ring in file order. Returns the removed
/// blocks.
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
            if ring.iter().any(|block| now.contains(block)) {
                continue;
            }
            let file_order = |(name, id): &(Arc<str>, BlockId)| {
                let model = simulation.model(name);
                let block = model.and_then(|model| model.block(*id));
                (model.map(|model| model.seq), block.map(|block| block.seq))
            };
            let last = ring.iter().max_by_key(|block| file_order(block));
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
    uses: Box<dyn Iterator<Item = (BlockId, Arc<str>)> + 'a>,
    /// The model block of the level above that contains this model.
    via: Option<BlockId>,
}

/// The model blocks of a model, each with its models: of one with variants all.
fn uses_in(model: &Model) -> Box<dyn Iterator<Item = (BlockId, Arc<str>)> + '_> {
    let model_blocks = model.blocks.values().filter(|block| matches!(block.kind, BlockKind::Model { .. }));
    Box::new(model_blocks.flat_map(|block| block.models().into_iter().map(|model| (block.id, model))))
}

/// Whether `inner` is `outer` or contains it at any depth.
pub fn would_nest(simulation: &Simulation, inner: &Arc<str>, outer: &Arc<str>) -> bool {
    let mut seen = BTreeSet::new();
    let mut pending = vec![Arc::clone(inner)];
    while let Some(name) = pending.pop() {
        if name == *outer {
            return true;
        }
        if !seen.insert(Arc::clone(&name)) {
            continue;
        }
        let Some(model) = simulation.model(&name) else { continue };
        pending.extend(model.blocks.values().flat_map(|block| block.models()));
    }
    false
}
