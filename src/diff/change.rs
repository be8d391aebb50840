//! A change between two states: a line of text that a reviewer understands, and the same as data.

use std::fmt;

use serde::Serialize;

use crate::model::BlockId;

/// A change of one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    pub kind: ChangeKind,
    pub subject: Subject,
    /// Its path, `Plant/PID`, as the second state has it, or the first where it is gone.
    pub path: String,
    /// Where it is in the first state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_place: Option<Place>,
    /// The property that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The value in the first state; none where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// Whether it only changes how the diagram looks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_layout: bool,
}

/// Where a change is: a model, and the block; of a wire, the block that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub model: String,
    #[serde(serialize_with = "id", skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockId>,
}

fn id<S: serde::Serializer>(id: &Option<BlockId>, serializer: S) -> Result<S::Ok, S::Error> {
    id.map(|id| id.0).serialize(serializer)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Added,
    Removed,
    Changed,
    Renamed,
    /// Into another model.
    Moved,
    /// Into a new model.
    Grouped,
    /// Out of a model that is gone.
    Expanded,
}

/// The kind of thing that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    Simulation,
    Variable,
    Model,
    Block,
    Wire,
}

impl Change {
    pub fn new(kind: ChangeKind, subject: Subject, path: impl Into<String>) -> Change {
        Change {
            kind,
            subject,
            path: path.into(),
            first_place: None,
            second_place: None,
            property: None,
            first: None,
            second: None,
            is_layout: false,
        }
    }

    #[must_use]
    pub fn with_values(mut self, first: Option<String>, second: Option<String>) -> Change {
        (self.first, self.second) = (first, second);
        self
    }

    #[must_use]
    pub fn at(mut self, first: Option<Place>, second: Option<Place>) -> Change {
        (self.first_place, self.second_place) = (first, second);
        self
    }

    #[must_use]
    pub fn of_property(mut self, property: impl Into<String>) -> Change {
        self.property = Some(property.into());
        self
    }

    /// What changed, without its values: `Plant/PID.Gain`.
    pub fn what(&self) -> String {
        let subject = match self.subject {
            Subject::Variable => "variable ",
            Subject::Model => "model ",
            Subject::Wire => "wire ",
            Subject::Simulation | Subject::Block => "",
        };
        let property = self.property.as_ref().map(|property| match self.subject {
            Subject::Block => format!(".{property}"),
            _ => format!(", {property}"),
        });
        format!("{subject}{}{}", self.path, property.unwrap_or_default())
    }

    /// The sign before the line: `+` added, `-` removed, `~` changed.
    pub fn sign(&self) -> char {
        match self.kind {
            ChangeKind::Added => '+',
            ChangeKind::Removed => '-',
            _ => '~',
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let value = |value: &Option<String>| match value.as_deref() {
            None => "default".to_owned(),
            Some("") => "“”".to_owned(),
            Some(text) => text.replace('\n', "⏎"),
        };
        f.write_str(&self.what())?;
        match self.kind {
            ChangeKind::Changed => write!(f, ": {} → {}", value(&self.first), value(&self.second)),
            ChangeKind::Renamed => write!(f, ": renamed from {}", value(&self.first)),
            ChangeKind::Moved => write!(f, ": moved from {}", value(&self.first)),
            ChangeKind::Grouped => write!(f, ": {} grouped from {}", value(&self.second), value(&self.first)),
            ChangeKind::Expanded => write!(f, ": expanded, {} now in {}", value(&self.first), value(&self.second)),
            ChangeKind::Added | ChangeKind::Removed => {
                let what = self.second.as_ref().or(self.first.as_ref());
                what.map_or(Ok(()), |what| write!(f, ": {}", what.replace('\n', "⏎")))
            }
        }
    }
}
