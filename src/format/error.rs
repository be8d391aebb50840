//! Why a file cannot be loaded or saved at all.

use std::io;

use crate::model::{Diagnostic, TextPlace};

/// Messages name no file; who shows them knows it.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("the format is not known by the file's content nor by its extension; known are {known}")]
    UnknownFormat { known: String },
    #[error("the text is not UTF-8: {found}")]
    Encoding { found: String, place: Option<TextPlace> },
    #[error("not well formed: {problem}")]
    Malformed { place: TextPlace, problem: String },
    #[error("the root element is <{root}>, but a simulation file has <simulation>")]
    NotASimulation { place: TextPlace, root: String },
    #[error("the file is damaged: {problem}")]
    Damaged { problem: String },
    /// What is said, but cannot be.
    #[error("{0}")]
    Contradiction(String),
}

/// Messages name no file; who shows them knows it.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("the file cannot be written: {0}")]
    Unwritable(#[from] io::Error),
    #[error("no format has this extension; known are {known}")]
    UnknownFormat { known: String },
    #[error("the character U+{:04X} in “{}” cannot be written in this format", u32::from(*character), .text.escape_debug())]
    Character { character: char, text: String },
    #[error("“{}” cannot be an attribute's name: it must start with a letter and hold no spaces", .0.escape_debug())]
    AttributeName(String),
    #[error("the format has no way to say this: {problem}")]
    Inexpressible { problem: String },
}

impl LoadError {
    /// Where in the text, if that can be said.
    pub fn place(&self) -> Option<TextPlace> {
        match self {
            LoadError::Unreadable(_)
            | LoadError::UnknownFormat { .. }
            | LoadError::Damaged { .. }
            | LoadError::Contradiction(_) => None,
            LoadError::Encoding { place, .. } => *place,
            LoadError::Malformed { place, .. } | LoadError::NotASimulation { place, .. } => Some(*place),
        }
    }

    /// What to do.
    pub fn help(&self) -> &'static str {
        match self {
            LoadError::Unreadable(_) => "",
            LoadError::UnknownFormat { .. } => "give the file the extension of its format",
            LoadError::Encoding { .. } => {
                "save the file as UTF-8 in a text editor, and write encoding=\"UTF-8\" in its first line"
            }
            LoadError::Malformed { .. } => "repair the file in a text editor",
            LoadError::NotASimulation { .. } => "is this the right file?",
            LoadError::Damaged { .. } => {
                "is this the right file? Take it again from where it was made, or from a backup"
            }
            LoadError::Contradiction(_) => "repair the file, or write it again from where it was made",
        }
    }

    /// Stable, for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            LoadError::Unreadable(_) => "unreadable",
            LoadError::UnknownFormat { .. } => "unknown-format",
            LoadError::Encoding { .. } => "encoding",
            LoadError::Malformed { .. } => "malformed",
            LoadError::NotASimulation { .. } => "not-a-simulation",
            LoadError::Damaged { .. } => "damaged",
            LoadError::Contradiction(_) => "contradiction",
        }
    }

    /// For showing it as all other mistakes are shown.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string()).help(self.help());
        match self.place() {
            Some(place) => diagnostic.at(place),
            None => diagnostic,
        }
    }
}
