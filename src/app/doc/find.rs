//! Search in a simulation: blocks, signals, parameters, values and variables of all models.

use std::sync::Arc;

use crate::block::Registry;
use crate::model::{Block, BlockId, BlockKind, Model, Simulation, definition_of, param_texts};

/// Maximum number of matches.
pub const MAX_MATCHES: usize = 2000;

/// A match.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchMatch {
    pub what: MatchKind,
    /// The name of the item.
    pub title: String,
    /// The matching text, if it is not the title: `Gain = 2.5`.
    pub detail: String,
    pub model: Arc<str>,
    pub block: Option<BlockId>,
    score: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    Model,
    Block,
    Signal,
    Parameter,
    Variable,
}

/// Returns all matches, the best first; every word must occur. `#12` is a block's number.
pub fn find(query: &str, simulation: &Simulation, registry: &Registry) -> Vec<SearchMatch> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut search = Search { words: &words, found: Vec::new() };
    for (name, variable) in &simulation.variables {
        let text = format!("{name} = {}", variable.value);
        search.look(MatchKind::Variable, name, &text, &simulation.root, None);
    }
    for model in simulation.models_in_order() {
        search.model(model, simulation, registry);
    }
    let mut found = search.found;
    // A stable sort keeps equal matches in the order of the file.
    found.sort_by_key(|found| std::cmp::Reverse(found.score));
    found.truncate(MAX_MATCHES);
    found
}

struct Search<'a> {
    words: &'a [String],
    found: Vec<SearchMatch>,
}

impl Search<'_> {
    fn model(&mut self, model: &Model, simulation: &Simulation, registry: &Registry) {
        self.look(MatchKind::Model, &model.name, "", &model.name, None);
        for (name, variable) in &model.variables {
            self.look(MatchKind::Variable, name, &format!("{name} = {}", variable.value), &model.name, None);
        }
        let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
        blocks.sort_by_key(|block| block.seq);
        for block in blocks {
            self.block(model, block, simulation, registry);
        }
        for wire in model.connections.values() {
            if let Some(name) = wire.attributes.get("name") {
                let source = model.block(wire.from).map(|block| block.title().to_owned()).unwrap_or_default();
                self.look(
                    MatchKind::Signal,
                    name,
                    &format!("from {source} {}", wire.from),
                    &model.name,
                    Some(wire.from),
                );
            }
        }
    }

    fn block(&mut self, model: &Model, block: &Block, simulation: &Simulation, registry: &Registry) {
        let at = (&model.name, Some(block.id));
        let def = definition_of(registry, block);
        let kind = match &block.kind {
            BlockKind::Library { group, name } => format!("{group} / {name}"),
            BlockKind::Model { model } => format!("instance of {model}"),
            BlockKind::Entry { .. } => "Input".to_owned(),
            BlockKind::Exit { .. } => "Output".to_owned(),
        };
        let detail = format!("{kind} {}", block.id);
        self.look(MatchKind::Block, block.title(), &detail, at.0, at.1);
        let title = || format!("{} {}", block.title(), block.id);
        for option in block.options() {
            let values: Vec<&str> = option.texts().collect();
            self.look(MatchKind::Parameter, &title(), &format!("{} = {}", option.name, values.join(" ")), at.0, at.1);
        }
        for param in def.into_iter().flat_map(|def| def.params) {
            if block.option(param.name).is_none() {
                let text = format!("{} = {}", param.name, param_texts(block, param).join(" "));
                self.look(MatchKind::Parameter, &title(), &text, at.0, at.1);
            }
        }
        let inner = match &block.kind {
            BlockKind::Model { model } => simulation.model(model),
            _ => None,
        };
        for (name, variable) in inner.into_iter().flat_map(|inner| &inner.variables) {
            if block.option(name).is_none() {
                self.look(MatchKind::Parameter, &title(), &format!("{name} = {}", variable.value), at.0, at.1);
            }
        }
    }

    fn look(&mut self, what: MatchKind, title: &str, detail: &str, model: &Arc<str>, block: Option<BlockId>) {
        let lower_title = title.to_lowercase();
        let lower_detail = detail.to_lowercase();
        let mut score = 0;
        for word in self.words {
            // A parameter matches by name or value only, since the block has its own row.
            let in_title = if what == MatchKind::Parameter { None } else { lower_title.find(word.as_str()) };
            score += match (in_title, lower_detail.find(word.as_str())) {
                (Some(0), _) if lower_title.len() == word.len() => 100,
                (Some(0), _) => 80,
                (Some(_), _) => 60,
                (None, Some(0)) => 45,
                (None, Some(at)) if !is_within_word(&lower_detail, at) => 40,
                (None, Some(_)) => 20,
                (None, None) => return,
            };
        }
        // Default values rank below set ones.
        score -= match what {
            MatchKind::Model => -5,
            MatchKind::Block | MatchKind::Signal => 0,
            MatchKind::Variable => 5,
            MatchKind::Parameter => 10,
        };
        let (title, detail) = (title.to_owned(), detail.to_owned());
        self.found.push(SearchMatch { what, title, detail, model: Arc::clone(model), block, score });
    }
}

fn is_within_word(text: &str, at: usize) -> bool {
    text.get(..at).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric)
}
