//! The report of an import as lines about blocks of the document, wherever these are by now.
//!
//! A line follows its block by the block's id in a model, and the model by its place in the file: both stay when names
//! change. A block that was moved into another model is found by the path that it keeps.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::imported::{Class, Entry, Report, missing};
use crate::model::{Block, BlockId, BlockKind, Model, Simulation, Variable};

/// The report of the open document.
pub struct ImportLines {
    report: Report,
    lines: Vec<Line>,
    /// The places in the file of the models that were there when the document was opened.
    known: BTreeSet<u64>,
    index: RefCell<Option<Index>>,
}

/// Where the models and blocks of a revision of the document are.
struct Index {
    revision: u64,
    /// The models by their places in the file.
    models: BTreeMap<u64, Arc<str>>,
    /// The models that were added since the document was opened.
    new: Vec<Arc<str>>,
    /// The blocks that keep a path; found when a block has left its model.
    by_path: OnceCell<ByPath>,
}

/// The models and ids of blocks by the paths that they keep.
type ByPath = BTreeMap<Arc<str>, (Arc<str>, BlockId)>;

/// A block, and the model that it is in.
type Found<'a> = (&'a Arc<Model>, &'a Arc<Block>);

/// An entry of the report.
struct Line {
    /// The names of the systems around the block, with “ / ” between them; empty for the outermost.
    system: Arc<str>,
    title: String,
    place: Option<Place>,
}

/// Where a block was, and what it was, when the document was opened.
struct Place {
    model: u64,
    block: BlockId,
    kind: BlockKind,
}

/// The present state of the block of a line.
#[derive(Clone, Copy, Debug)]
pub enum Now<'a> {
    /// It became no block of its own.
    NoBlock,
    /// It is as it was imported.
    Present {
        model: &'a Arc<Model>,
        block: &'a Arc<Block>,
    },
    /// It is of another kind by now.
    Replaced {
        model: &'a Arc<Model>,
        block: &'a Arc<Block>,
    },
    Deleted,
}

impl ImportLines {
    pub fn new(report: Report, simulation: &Simulation) -> ImportLines {
        let line = |entry: &Entry| {
            let (system, title) = parts(&entry.path);
            let model = entry.model.as_deref().and_then(|name| simulation.model(name));
            let block = model.zip(entry.block).and_then(|(model, id)| Some((model.seq, model.block(id)?)));
            let place = block.map(|(model, block)| Place { model, block: block.id, kind: block.kind.clone() });
            Line { system: system.into(), title, place }
        };
        let lines = report.entries.iter().map(line).collect();
        let known = simulation.models.values().map(|model| model.seq).collect();
        ImportLines { report, lines, known, index: RefCell::default() }
    }

    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns an entry by its number in the report.
    pub fn entry(&self, number: usize) -> Option<&Entry> {
        self.report.entries.get(number)
    }

    /// Returns the names of the systems around a block; empty for the outermost.
    pub fn system(&self, number: usize) -> &str {
        self.lines.get(number).map_or("", |line| &line.system)
    }

    /// Returns the name of the block in the other program.
    pub fn title(&self, number: usize) -> &str {
        self.lines.get(number).map_or("", |line| &line.title)
    }

    /// Returns what has become of a block, in a revision of the document.
    pub fn now<'a>(&self, number: usize, simulation: &'a Simulation, revision: u64) -> Now<'a> {
        let Some((line, entry)) = self.lines.get(number).zip(self.entry(number)) else { return Now::NoBlock };
        let Some(place) = &line.place else { return Now::NoBlock };
        match self.find(place, &entry.path, simulation, revision) {
            None => Now::Deleted,
            Some((model, block)) => {
                let is_completed = entry.class == Class::Placeholder && !block.is_placeholder();
                match is_completed || is_other_kind(&place.kind, &block.kind) {
                    true => Now::Replaced { model, block },
                    false => Now::Present { model, block },
                }
            }
        }
    }

    /// Returns whether placeholders are still to be completed or values to be given.
    pub fn is_open(&self, simulation: &Simulation) -> bool {
        let is_placeholder = |line: &Line| {
            let place = line.place.as_ref();
            place.is_some_and(
                |place| matches!(&place.kind, BlockKind::Library { group, .. } if **group == *Block::PLACEHOLDERS),
            )
        };
        self.lines.iter().any(is_placeholder) || without_value(simulation).next().is_some()
    }

    fn find<'a>(&self, place: &Place, path: &str, simulation: &'a Simulation, revision: u64) -> Option<Found<'a>> {
        let mut index = self.index.borrow_mut();
        let index = match &mut *index {
            Some(index) if index.revision == revision => index,
            other => other.insert(Index::of(simulation, revision, &self.known)),
        };
        let block = |model: &Arc<str>, id: BlockId| {
            let model = simulation.model(model)?;
            Some((model, model.block(id)?))
        };
        let there = index.models.get(&place.model).and_then(|model| block(model, place.block));
        // A subsystem that was created from blocks keeps their ids.
        let grouped = || {
            let mut found = index.new.iter().filter_map(|model| block(model, place.block));
            found.find(|(_, block)| block.kind == place.kind)
        };
        there.or_else(grouped).or_else(|| {
            let by_path = index.by_path.get_or_init(|| by_path(simulation));
            by_path.get(path).and_then(|(model, id)| block(model, *id))
        })
    }
}

impl Index {
    fn of(simulation: &Simulation, revision: u64, known: &BTreeSet<u64>) -> Index {
        let models = || simulation.models.values();
        Index {
            revision,
            models: models().map(|model| (model.seq, Arc::clone(&model.name))).collect(),
            new: models().filter(|model| !known.contains(&model.seq)).map(|model| Arc::clone(&model.name)).collect(),
            by_path: OnceCell::new(),
        }
    }
}

/// Returns the variables that still have no value.
pub fn without_value(simulation: &Simulation) -> impl Iterator<Item = (&Arc<str>, &Arc<Variable>)> {
    missing(simulation).filter(|(_, variable)| variable.value.trim().is_empty())
}

fn by_path(simulation: &Simulation) -> ByPath {
    let mut found = BTreeMap::new();
    for model in simulation.models_in_order() {
        for block in model.blocks.values() {
            if let Some(path) = Entry::path_of(block) {
                found.entry(path.into()).or_insert_with(|| (Arc::clone(&model.name), block.id));
            }
        }
    }
    found
}

/// Whether a block is of another kind; a model, an entry or an exit may have another name.
fn is_other_kind(before: &BlockKind, now: &BlockKind) -> bool {
    match (before, now) {
        (BlockKind::Model { .. }, BlockKind::Model { .. })
        | (BlockKind::Entry { .. }, BlockKind::Entry { .. })
        | (BlockKind::Exit { .. }, BlockKind::Exit { .. }) => false,
        _ => before != now,
    }
}

/// Splits a path at its last slash that is not doubled.
fn parts(path: &str) -> (String, String) {
    let mut parts = vec![String::new()];
    let mut letters = path.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_doubled = letter == '/' && letters.next_if_eq(&'/').is_some();
        match parts.last_mut() {
            Some(last) if letter != '/' || is_doubled => last.push(letter),
            _ => parts.push(String::new()),
        }
    }
    let title = parts.pop().unwrap_or_default();
    (parts.join(" / "), title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_systems_and_a_title() {
        let split = |path| parts(path);
        let owned = |system: &str, title: &str| (system.to_owned(), title.to_owned());
        assert_eq!(split("Gain"), owned("", "Gain"));
        assert_eq!(split("Plant/Motor/k//m"), owned("Plant / Motor", "k/m"));
        assert_eq!(split("a//b/c"), owned("a/b", "c"));
    }
}
