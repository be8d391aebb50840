//! The errors of a text that breaks the rules of the format; messages name the expected text.

use crate::format::LoadError;
use crate::model::TextPosition;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum Fault {
    #[error("the text begins without its first line: simulation ROOT, steps = …, delta = …")]
    NoSimulation,
    #[error("a second line “simulation ROOT”; a text has one simulation")]
    SecondSimulation,
    #[error("a {0} belongs to a model; begin one with: model NAME")]
    OutsideModel(&'static str),
    #[error("only comments, instructions and a DOCTYPE may stand in the prolog and epilog")]
    OutsideRoot,
    #[error("a line is a block (LABEL: KIND), a wire (A -> B), a variable (NAME = VALUE) or a model (model NAME)")]
    Statement,
    #[error("{what} is expected here, but {found}")]
    Expected { what: &'static str, found: String },
    #[error("the closing quote is missing; a text of several lines stands between lines with \"\"\"")]
    EndlessQuote,
    #[error("the text that begins here is never closed; a line with \"\"\" is expected")]
    EndlessFence,
    #[error("“{0}” is not an escape; use \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four hexadecimal digits")]
    Escape(String),
    #[error("the character U+{:04X} cannot be stored in a file", u32::from(*.0))]
    Character(char),
    #[error("“{0}” is missing in this value; write a value with such a character in quotes")]
    NotClosed(char),
    #[error("“{0}” closes nothing in this value; write a value with such a character in quotes")]
    NotOpened(char),
    #[error("“{0}” within a value; write the value in quotes")]
    InValue(char),
    #[error("several values, but {0} has one; write a value with “;” in quotes")]
    SeveralValues(&'static str),
    #[error("“#{0}” is not an id: an integer from −2⁶³ to 2⁶⁴−1 is expected")]
    Id(String),
    #[error("{0} needs a name: write it before the colon")]
    NoName(&'static str),
    #[error("“{0}” is not a valid name of an attribute: it must start with a letter and contain no spaces")]
    AttributeName(String),
    #[error("the attribute “{0}” is a part of the line; do not write it in braces")]
    KnownAttribute(String),
    #[error("the attribute “{0}” has no value; write {0}=…")]
    NoValue(String),
    #[error("the attribute “{0}” is duplicated")]
    SameAttribute(String),
    #[error("the option “{0}” is duplicated in this line")]
    SameOption(String),
    #[error("there are several blocks “{name}”: write {choices}")]
    SeveralKinds { name: String, choices: String },
    #[error("the text in <\"…\"> is not well-formed XML")]
    NotXml,
    #[error("only the first and the last part of a chain may name several ports; write a line for each")]
    SeveralInChain,
    #[error("a wire has one source; write a line for each")]
    SeveralSources,
    #[error("</…> closes nothing; an element is written with all its content")]
    EndTag,
    #[error("a text within XML is written in quotes: <\"…\">")]
    CData,
}

/// The beginning of a text, for a message.
pub(super) fn found(rest: &str) -> String {
    const MAX_LETTERS: usize = 30;
    let rest = rest.trim_end();
    match rest.char_indices().nth(MAX_LETTERS) {
        _ if rest.is_empty() => "the line ends".to_owned(),
        Some((end, _)) => format!("“{}…” is found", rest.get(..end).unwrap_or_default()),
        None => format!("“{rest}” is found"),
    }
}

pub(super) fn malformed(position: TextPosition, fault: &Fault) -> LoadError {
    LoadError::Malformed { position, problem: fault.to_string() }
}
