//! The report of an import: how each block is represented.

use std::fmt::Write as _;

use serde::Serialize;

use crate::model::BlockId;

/// The result of an import, block by block.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The program that wrote the file.
    pub origin: String,
    pub entries: Vec<Entry>,
    /// Notes about the whole model, such as its solver.
    pub notes: Vec<String>,
    /// The names without a value.
    pub missing: Vec<Missing>,
}

/// A block of the file.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The names of the systems and of the block, separated by slashes.
    pub path: String,
    /// The type in the other program.
    pub kind: String,
    pub class: Class,
    /// In which way it is approximated, or why it is a placeholder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where it is now; none if it became no block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(serialize_with = "id", skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockId>,
}

/// A name that expressions use and nothing sets.
#[derive(Clone, Debug, Serialize)]
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

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Exact => "exact",
            Class::Approximated => "approximated",
            Class::Placeholder => "placeholder",
        }
    }
}

impl Report {
    pub fn count(&self, class: Class) -> usize {
        self.entries.iter().filter(|entry| entry.class == class).count()
    }

    /// One line: `312 blocks: 290 exact, 15 approximated, 7 placeholders`.
    pub fn summary(&self) -> String {
        let [exact, approximated, placeholders] =
            [Class::Exact, Class::Approximated, Class::Placeholder].map(|class| self.count(class));
        let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let missing = match self.missing.len() {
            0 => String::new(),
            count => format!(", {}", plural(count, "missing value")),
        };
        format!(
            "{}: {exact} exact, {approximated} approximated, {}{missing}",
            plural(self.entries.len(), "block"),
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
}
