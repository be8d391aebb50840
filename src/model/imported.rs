//! The report of the import of a file of another program.
//!
//! It names every block. The parts of it that a user has to check are also kept in the document, so that they are in its
//! file and are found again when that is opened: `<data name="import:note">` and its like on the
//! block, `imported` and `import-…` on the simulation.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use super::{Block, BlockId, BodyItem, Model, Simulation, Variable, is_storable};

/// The result of an import, block by block.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The program that wrote the file.
    pub origin: String,
    pub entries: Vec<Entry>,
    /// Notes about the whole model, such as its solver.
    pub notes: Vec<String>,
    /// The names without a value.
    pub missing: Vec<Missing>,
    /// The number of exact blocks that are not among the entries: a document keeps only their number.
    #[serde(skip)]
    pub unlisted: usize,
}

/// A block of the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The names of the systems and of the block, separated by slashes; a slash in a name is doubled.
    pub path: String,
    /// The type in the other program.
    pub kind: String,
    pub class: Class,
    /// In which way it is approximated, or why it is a placeholder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where it is after the import; none if it became no block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(serialize_with = "id", skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockId>,
}

/// A name that expressions use and nothing sets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    pub name: String,
    /// The block that uses it first.
    pub used_by: String,
}

/// How well a block is represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    Exact,
    Approximated,
    Placeholder,
}

fn id<S: serde::Serializer>(id: &Option<BlockId>, serializer: S) -> Result<S::Ok, S::Error> {
    id.map(|id| id.0).serialize(serializer)
}

/// The attributes of the simulation.
const ORIGIN: &str = "imported";
const EXACT: &str = "import-exact";
/// The notes, separated by this character.
const NOTES: &str = "import-notes";
const BETWEEN_NOTES: char = '\n';

/// The data of a block.
const CLASS: &str = "import:class";
const KIND: &str = "import:type";
const PATH: &str = "import:path";
const NOTE: &str = "import:note";
/// The prefix of the data with the parameters of a placeholder.
const SOURCE: &str = "source:";

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Exact => "exact",
            Class::Approximated => "approximated",
            Class::Placeholder => "placeholder",
        }
    }

    fn of_name(name: &str) -> Option<Class> {
        [Class::Exact, Class::Approximated, Class::Placeholder].into_iter().find(|class| class.name() == name)
    }
}

impl Report {
    pub fn count(&self, class: Class) -> usize {
        let listed = self.entries.iter().filter(|entry| entry.class == class).count();
        listed + if class == Class::Exact { self.unlisted } else { 0 }
    }

    /// One line: `312 blocks: 290 exact, 15 approximated, 7 placeholders, 2 missing values`.
    pub fn summary(&self) -> String {
        match self.missing.len() {
            0 => self.blocks_text(),
            count => format!("{}, {}", self.blocks_text(), plural(count, "missing value")),
        }
    }

    /// One line: `312 blocks: 290 exact, 15 approximated, 7 placeholders`.
    pub fn blocks_text(&self) -> String {
        let [exact, approximated, placeholders] =
            [Class::Exact, Class::Approximated, Class::Placeholder].map(|class| self.count(class));
        format!(
            "{}: {exact} exact, {approximated} approximated, {}",
            plural(self.entries.len() + self.unlisted, "block"),
            plural(placeholders, "placeholder")
        )
    }

    /// The whole report but the exact blocks.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for class in [Class::Placeholder, Class::Approximated] {
            for entry in self.entries.iter().filter(|entry| entry.class == class) {
                let notes = entry.notes.join("; ");
                let _ = writeln!(text, "{}: {} ({}): {notes}", class.name(), entry.path, entry.kind);
            }
        }
        for missing in &self.missing {
            let _ = writeln!(text, "missing value: {}, used by {}", missing.name, missing.used_by);
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        let _ = writeln!(text, "{}", self.summary());
        text
    }

    /// Marks the blocks that are not exact, and notes the rest of the report on the simulation.
    pub fn keep(&self, simulation: &mut Simulation) {
        let mut notes: Vec<String> = self.notes.clone();
        for entry in self.entries.iter().filter(|entry| entry.class != Class::Exact) {
            let place = entry.model.as_deref().zip(entry.block);
            let block = place.and_then(|(model, id)| simulation.model_mut(model)?.block_mut(id));
            match block {
                Some(block) => entry.keep(block),
                None => notes.push(format!("{} ({}): {}", entry.path, entry.kind, entry.notes.join("; "))),
            }
        }
        let attributes = &mut simulation.attributes;
        attributes.set(ORIGIN, &storable(if self.origin.is_empty() { "another program" } else { &self.origin }));
        attributes.set(EXACT, &self.count(Class::Exact).to_string());
        let notes: Vec<String> = notes.iter().map(|note| storable(note).replace(BETWEEN_NOTES, " ")).collect();
        attributes.put(NOTES, Some(&*notes.join(&BETWEEN_NOTES.to_string())).filter(|notes| !notes.is_empty()));
    }

    /// Reads what a document keeps of its import; none if it was not imported.
    pub fn of(simulation: &Simulation) -> Option<Report> {
        let mut report = Report::default();
        for model in simulation.models_in_order() {
            let mut blocks: Vec<&Arc<Block>> = model.blocks.values().collect();
            blocks.sort_by_key(|block| block.seq);
            report.entries.extend(blocks.into_iter().filter_map(|block| Entry::of(model, block)));
        }
        let origin = simulation.attributes.get(ORIGIN);
        if origin.is_none() && report.entries.is_empty() {
            return None;
        }
        report.origin = origin.unwrap_or_default().to_owned();
        let exact = simulation.attributes.get(EXACT).and_then(|text| text.trim().parse().ok());
        report.unlisted = exact.unwrap_or(0);
        let notes = simulation.attributes.get(NOTES).unwrap_or_default().split(BETWEEN_NOTES);
        report.notes = notes.filter(|note| !note.trim().is_empty()).map(str::to_owned).collect();
        report.missing =
            missing(simulation).map(|(name, _)| Missing { name: name.to_string(), used_by: String::new() }).collect();
        Some(report)
    }
}

impl Entry {
    fn keep(&self, block: &mut Block) {
        let notes = self.notes.iter().map(|note| (NOTE, &**note));
        for (name, text) in
            [(CLASS, self.class.name()), (KIND, &*self.kind), (PATH, &*self.path)].into_iter().chain(notes)
        {
            let text = storable(text).into();
            block.body.push(BodyItem::Data { name: name.into(), text, attributes: Default::default() });
        }
    }

    /// Reads what a block keeps; a placeholder without it is an entry, too. None for other blocks.
    pub fn of(model: &Model, block: &Block) -> Option<Entry> {
        let class = data(block, CLASS).next().and_then(Class::of_name);
        let class = class.or(block.is_placeholder().then_some(Class::Placeholder))?;
        let first = |name| data(block, name).next().map(str::to_owned);
        Some(Entry {
            path: first(PATH).unwrap_or_else(|| format!("{}/{}", model.name, block.title().replace('/', "//"))),
            kind: first(KIND).unwrap_or_else(|| block.kind.title().to_owned()),
            class,
            notes: data(block, NOTE).map(str::to_owned).collect(),
            model: Some(model.name.to_string()),
            block: Some(block.id),
        })
    }

    /// Returns the path of a block in the other program, if it keeps one: see [`Entry::path`].
    pub fn path_of(block: &Block) -> Option<&str> {
        data(block, PATH).next()
    }
}

/// Returns the program that a document was imported from.
pub fn origin_of(simulation: &Simulation) -> Option<&str> {
    simulation.attributes.get(ORIGIN)
}

/// Returns the parameters of a placeholder in the other program, in the order of its file.
pub fn source_parameters(block: &Block) -> impl Iterator<Item = (&str, &str)> {
    block.body.iter().filter_map(|item| match item {
        BodyItem::Data { name, text, .. } => Some((name.strip_prefix(SOURCE)?, &**text)),
        _ => None,
    })
}

/// Returns the variables of the simulation without a value at the import, by name. Those that have got one since are among
/// them.
pub fn missing(simulation: &Simulation) -> impl Iterator<Item = (&Arc<str>, &Arc<Variable>)> {
    simulation.variables.iter().filter(|(_, variable)| variable.attributes.get("missing").is_some())
}

fn data<'a>(block: &'a Block, wanted: &'static str) -> impl Iterator<Item = &'a str> {
    block.body.iter().filter_map(move |item| match item {
        BodyItem::Data { name, text, .. } if **name == *wanted => Some(&**text),
        _ => None,
    })
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn storable(text: &str) -> String {
    text.chars().map(|character| if is_storable(character) { character } else { ' ' }).collect()
}
