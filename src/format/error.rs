//! The errors of loading and saving files.

use std::io;
use std::sync::Arc;

use crate::model::{BlockId, Diagnostic, TextPosition};

/// Why a file cannot be loaded. The message does not contain the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    #[error("This is a folder. Choose a .simx file")]
    Folder,
    #[error("the file cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("unknown file format; the known extensions are {known}")]
    UnknownFormat { known: String },
    #[error("the text is not UTF-8: {found}")]
    Encoding { found: String, position: Option<TextPosition> },
    #[error("not well formed: {problem}")]
    Malformed { position: TextPosition, problem: String },
    #[error("the root element is <{root}>, but a simulation file has <simulation>")]
    NotASimulation { position: TextPosition, root: String },
    #[error("the file is damaged: {problem}")]
    Damaged { problem: String },
    /// The content is well formed but invalid.
    #[error("{0}")]
    Contradiction(#[from] FormError),
}

/// Why the records of a file are not a simulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormError {
    #[error("version {found} of the binary format is unknown; this program reads version {known}")]
    UnknownVersion { found: u16, known: u16 },
    #[error("version {found} was written by a newer program; this program reads versions up to {known}")]
    Newer { found: u32, known: u32 },
    #[error("delta is {0}, but must be a finite number of seconds")]
    Delta(f64),
    #[error("there are two models “{0}”")]
    DuplicateModel(Arc<str>),
    #[error("there are two variables “{0}”")]
    DuplicateVariable(String),
    /// A text that XML cannot store.
    #[error("{0}")]
    Text(String),
    #[error("the attribute {name} is “{text}”: a number is a field")]
    NumberAsAttribute { name: &'static str, text: String },
    #[error("prolog and epilog may hold only XML comments, instructions and a DOCTYPE")]
    Outside,
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("model “{name}”: {error}")]
    Model { name: String, error: ModelError },
}

/// Why a field of a record cannot be kept in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    #[error("the extra “{0}” is not well-formed XML: a comment, an element or a text is expected")]
    Extra(String),
    #[error("there is an attribute “{0}”, which is a field")]
    Attribute(String),
}

/// Why the records of a model are not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    #[error("there are two variables “{0}”")]
    DuplicateVariable(String),
    #[error("{block} has the field {field}, which its tag does not allow")]
    ForbiddenField { block: BlockId, field: &'static str },
    #[error("{block} has no {field}")]
    MissingField { block: BlockId, field: &'static str },
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("the id {0} is used twice")]
    DuplicateId(BlockId),
    #[error("the input “{input}” of {block} has two connections")]
    DuplicateConnection { block: BlockId, input: String },
}

/// Why a file cannot be saved. The message does not contain the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    #[error("the file cannot be written: {0}")]
    Unwritable(#[from] io::Error),
    #[error("unknown file extension; the known extensions are {known}")]
    UnknownFormat { known: String },
    #[error("the character U+{:04X} in “{}” cannot be written in this format", u32::from(*character), .text.escape_debug())]
    Character { character: char, text: String },
    #[error("“{}” is not a valid attribute name: it must start with a letter and contain no spaces", .0.escape_debug())]
    AttributeName(String),
    #[error("the format cannot represent this: {problem}")]
    Inexpressible { problem: String },
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> LoadError {
        match error.kind() {
            io::ErrorKind::IsADirectory => LoadError::Folder,
            _ => LoadError::Unreadable(error),
        }
    }
}

impl LoadError {
    /// Returns the position in the text, if it is known.
    pub fn position(&self) -> Option<TextPosition> {
        match self {
            LoadError::Folder
            | LoadError::Unreadable(_)
            | LoadError::UnknownFormat { .. }
            | LoadError::Damaged { .. }
            | LoadError::Contradiction(_) => None,
            LoadError::Encoding { position, .. } => *position,
            LoadError::Malformed { position, .. } | LoadError::NotASimulation { position, .. } => Some(*position),
        }
    }

    /// Returns the remedy; empty if there is none.
    pub fn help(&self) -> &'static str {
        match self {
            LoadError::Unreadable(_) | LoadError::Folder => "",
            LoadError::UnknownFormat { .. } => "give the file the extension of its format",
            LoadError::Encoding { .. } => {
                "save the file as UTF-8 in a text editor, and write encoding=\"UTF-8\" in its first line"
            }
            LoadError::Malformed { .. } => "repair the file in a text editor",
            LoadError::NotASimulation { .. } => "check that this is the right file",
            LoadError::Damaged { .. } => "check that this is the right file; export it again or restore a backup",
            LoadError::Contradiction(_) => "repair the file, or export it again",
        }
    }

    /// Returns a stable code for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            LoadError::Unreadable(_) | LoadError::Folder => "unreadable",
            LoadError::UnknownFormat { .. } => "unknown-format",
            LoadError::Encoding { .. } => "encoding",
            LoadError::Malformed { .. } => "malformed",
            LoadError::NotASimulation { .. } => "not-a-simulation",
            LoadError::Damaged { .. } => "damaged",
            LoadError::Contradiction(_) => "contradiction",
        }
    }

    /// Converts the error to a diagnostic.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string()).help(self.help());
        match self.position() {
            Some(position) => diagnostic.at(position),
            None => diagnostic,
        }
    }
}
