//! The seeds of random numbers: those of model blocks, and free ones for new blocks.
//!
//! A block draws its numbers from a key of its own seed, an option, and of the attributes `seed` of the model blocks that
//! contain it. Zeros are left out of the key, so that grouping blocks into a model never changes a result. New blocks get
//! free seeds in the editor: a random block one that no other random block has, and a further instance of a model one that
//! no other model block has. Then no two blocks draw the same numbers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Block, BlockKind, Diagnostic, Edit, Simulation};
use crate::block::{BlockDef, ParamDef, Registry};

impl Block {
    /// The attribute with the seeds that a block adds to the keys of the random numbers drawn by it or inside it: integers
    /// separated by blanks.
    pub const SEED: &str = "seed";
}

/// Returns whether a block of the library draws random numbers.
pub fn is_random(block: &Block, registry: &Registry) -> bool {
    random(block, registry).is_some()
}

/// Reads the attribute [`Block::SEED`]; none if it is not valid.
pub fn seeds_of(block: &Block) -> Option<Vec<u64>> {
    parsed_seeds(block.attributes.get(Block::SEED).unwrap_or_default())
}

/// Reads integers separated by blanks; none if the text is something else.
pub fn parsed_seeds(text: &str) -> Option<Vec<u64>> {
    text.split_whitespace().map(|seed| seed.parse().ok()).collect()
}

/// Reports an attribute `seed` that is not valid.
pub(super) fn check_seeds(block: &Block) -> Option<Diagnostic> {
    if seeds_of(block).is_some() {
        return None;
    }
    let text = block.attributes.get(Block::SEED).unwrap_or_default();
    let message = format!("seed is “{text}”, which is not a valid seed");
    let help = "a seed is an integer from 0; several of them are separated by blanks";
    Some(Diagnostic::error("bad-attribute", message).help(help).about(Block::SEED))
}

/// Returns the edits with free seeds for the blocks that they add; none if none of these needs one.
pub(super) fn with_free_seeds(simulation: &Simulation, registry: &Registry, edits: &[Edit]) -> Option<Vec<Edit>> {
    let needs_one = |edit: &Edit| match edit {
        Edit::AddBlock { block, .. } => {
            matches!(block.kind, BlockKind::Model { .. }) || random(block, registry).is_some()
        }
        _ => false,
    };
    edits.iter().any(needs_one).then(|| {
        let mut edits = edits.to_vec();
        Seeds::of(simulation, registry).give(&mut edits);
        edits
    })
}

/// The seeds in use, from which free ones are chosen.
struct Seeds<'a> {
    registry: &'a Registry,
    blocks: BTreeSet<u64>,
    models: BTreeSet<u64>,
    /// The models that have an instance without a seed.
    plain: BTreeSet<Arc<str>>,
}

impl<'a> Seeds<'a> {
    /// Finds the seeds that a simulation uses.
    fn of(simulation: &Simulation, registry: &'a Registry) -> Seeds<'a> {
        let mut seeds = Seeds { registry, blocks: BTreeSet::new(), models: BTreeSet::new(), plain: BTreeSet::new() };
        let blocks = simulation.models.values().flat_map(|model| model.blocks.values());
        blocks.for_each(|block| seeds.note(block));
        seeds
    }

    fn note(&mut self, block: &Block) {
        let of_block = seeds_of(block).unwrap_or_default();
        if let BlockKind::Model { model } = &block.kind
            && of_block.iter().all(|seed| *seed == 0)
        {
            self.plain.insert(Arc::clone(model));
        }
        self.models.extend(of_block);
        self.blocks.extend(random(block, self.registry).and_then(|def| own_seed(block, def)));
    }

    /// Gives each block that the edits add a free seed, where its own is in use.
    fn give(&mut self, edits: &mut [Edit]) {
        for edit in edits {
            let Edit::AddBlock { block, .. } = edit else { continue };
            match &block.kind {
                BlockKind::Model { model } => {
                    let of_block = seeds_of(block).unwrap_or_default();
                    let is_plain = of_block.iter().all(|seed| *seed == 0);
                    let is_used = if is_plain {
                        self.plain.contains(model)
                    } else {
                        of_block.iter().any(|seed| self.models.contains(seed))
                    };
                    if is_used {
                        let free = (1..).find(|seed| !self.models.contains(seed)).unwrap_or_default();
                        block.attributes.set(Block::SEED, &free.to_string());
                    }
                }
                BlockKind::Library { .. } => {
                    if let Some(def) = random(block, self.registry)
                        && own_seed(block, def).is_some_and(|seed| self.blocks.contains(&seed))
                    {
                        let free = (0..).find(|seed| !self.blocks.contains(seed)).unwrap_or_default();
                        block.set_option(ParamDef::SEED.name, Some(&[free.to_string()]));
                    }
                }
                BlockKind::Entry { .. } | BlockKind::Exit { .. } => {}
            }
            self.note(block);
        }
    }
}

/// The definition of a block that draws random numbers.
fn random(block: &Block, registry: &Registry) -> Option<&'static BlockDef> {
    let BlockKind::Library { group, name } = &block.kind else { return None };
    registry.get(group, name).filter(|def| def.is_random())
}

/// The seed of a random block, if it is a natural number; a formula is the choice of its author.
fn own_seed(block: &Block, def: &BlockDef) -> Option<u64> {
    match block.option_texts(ParamDef::SEED.name) {
        Some(texts) => texts.first()?.trim().parse().ok(),
        None => def.param(ParamDef::SEED.name)?.default_texts().first()?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BlockId;

    #[test]
    fn only_what_draws_random_numbers_is_given_a_seed() {
        let (simulation, registry) = (Simulation::new("Main"), Registry::standard());
        let add = |id, kind| {
            let block = Box::new(Block::new(BlockId(id), kind));
            Edit::AddBlock { model: "Main".into(), block }
        };
        let plain = [
            add(0, BlockKind::library("Math", "Gain")),
            add(1, BlockKind::entry("u")),
            Edit::RemoveBlocks { model: "Main".into(), ids: Vec::new() },
        ];
        assert_eq!(with_free_seeds(&simulation, &registry, &plain), None);
        for kind in [BlockKind::library("Var", "Noise"), BlockKind::model("Main")] {
            let edits = [&plain[..], &[add(2, kind)]].concat();
            assert_eq!(with_free_seeds(&simulation, &registry, &edits), Some(edits), "all of it is free");
        }
    }
}
