//! One of the two states that are compared.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::{Block, BlockId, BlockKind, Model, Simulation};

/// A block of a state, by the number of its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    pub model: usize,
    pub block: BlockId,
}

/// A state with its models in the order of the file.
pub struct State<'a> {
    pub simulation: &'a Simulation,
    pub models: Vec<&'a Arc<Model>>,
    numbers: BTreeMap<&'a str, usize>,
    /// The instances of each model.
    instances: Vec<Vec<Site>>,
    /// The titles that several blocks of a model have, once they are asked for.
    shared_titles: Vec<OnceCell<BTreeSet<&'a str>>>,
}

impl<'a> State<'a> {
    pub fn of(simulation: &'a Simulation) -> State<'a> {
        let models = simulation.models_in_order();
        let numbers: BTreeMap<&str, usize> = models.iter().enumerate().map(|(at, model)| (&*model.name, at)).collect();
        let mut instances = vec![Vec::new(); models.len()];
        for (at, model) in models.iter().enumerate() {
            for block in model.blocks.values() {
                for used in block.models().iter().filter_map(|name| numbers.get(&**name)) {
                    instances[*used].push(Site { model: at, block: block.id });
                }
            }
        }
        let shared_titles = vec![OnceCell::new(); models.len()];
        State { simulation, models, numbers, instances, shared_titles }
    }

    pub fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    pub fn block(&self, site: Site) -> Option<&'a Arc<Block>> {
        self.models[site.model].block(site.block)
    }

    /// The only instance of a model.
    pub fn only_instance(&self, model: usize) -> Option<Site> {
        match self.instances[model][..] {
            [single] => Some(single),
            _ => None,
        }
    }

    pub fn sites(&self, model: usize) -> impl Iterator<Item = (Site, &'a Arc<Block>)> + use<'a> {
        self.models[model].blocks.values().map(move |block| (Site { model, block: block.id }, block))
    }

    /// The path of a block in a message; one of several with its title is told by its id.
    pub fn path(&self, site: Site) -> String {
        let model = self.models[site.model];
        let Some(block) = model.block(site.block) else { return format!("{}/{}", model.name, site.block) };
        let title = block.title();
        let shared = self.shared_titles[site.model].get_or_init(|| shared_titles(model));
        match shared.contains(title) {
            false => format!("{}/{title}", model.name),
            true => format!("{}/{title}{}", model.name, site.block),
        }
    }
}

/// The titles that several blocks of a model have.
fn shared_titles(model: &Model) -> BTreeSet<&str> {
    let mut known = BTreeSet::new();
    model.blocks.values().map(|block| block.title()).filter(|title| !known.insert(*title)).collect()
}

/// Whether a block is a port of its model.
pub fn is_port(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. })
}

/// The options of a block as one text.
pub fn options_text(block: &Block) -> String {
    let mut options: Vec<String> = block
        .options()
        .map(|option| format!("{}={}", option.name, option.texts().collect::<Vec<_>>().join(",")))
        .collect();
    options.sort();
    options.join(";")
}
