//! Why an FMU cannot be used.

use std::io;

/// An error in the archive or the description of an FMU: a sentence without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FmuError {
    #[error("this is not a ZIP archive, and so not an FMU: {0}")]
    Archive(#[source] zip::result::ZipError),
    #[error("the archive has {count} entries; at most {limit} are allowed")]
    Entries { count: usize, limit: usize },
    #[error("the archive's entry “{0}” leads out of the archive")]
    Outside(String),
    #[error("the archive's entry “{0}” is a link, which is not allowed in an FMU")]
    Link(String),
    #[error("the archive's entry “{0}” is encrypted")]
    Encrypted(String),
    #[error("the archive unpacks to more than {limit} bytes (at its entry “{entry}”)")]
    Unpacked { entry: String, limit: u64 },
    #[error("the archive has no {0}")]
    Missing(&'static str),
    #[error("the archive's entry “{entry}” cannot be unpacked: {error}")]
    Entry { entry: String, error: io::Error },
    #[error("{file}: not UTF-8 text, from byte {at} on")]
    Text { file: &'static str, at: usize },
    /// `line` and `column` count from 1.
    #[error("modelDescription.xml:{line}:{column}: {problem}")]
    Description { line: usize, column: usize, problem: DescriptionProblem },
    #[error("sources/buildDescription.xml: {0}")]
    Build(String),
}

/// An error in a description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionProblem {
    #[error("not well-formed XML: {0}")]
    Xml(String),
    #[error("the text ends before </{0}>")]
    Ends(String),
    #[error("expected <fmiModelDescription>, found <{0}>")]
    Root(String),
    #[error("elements are nested deeper than {0}")]
    Deep(usize),
    #[error("<{element}> has no attribute “{attribute}”")]
    NoAttribute { element: String, attribute: &'static str },
    #[error("FMI {0} is not supported; Simulate reads 2.0 and 3.0")]
    Version(String),
    #[error("“{text}” is not a value of the attribute “{attribute}”")]
    Value { attribute: String, text: String },
    #[error("two variables have the name “{0}”")]
    SameName(String),
    #[error("the variable “{0}” has no type")]
    NoType(String),
    #[error("the variable “{0}” has too many elements")]
    Elements(String),
    #[error("there is no variable with the {what} {number}")]
    NoVariable { what: &'static str, number: u64 },
    #[error("the description has more than {0} variables")]
    Variables(usize),
    #[error("the FMU offers neither co-simulation nor model exchange")]
    NoInterface,
    #[error(
        "the FMU offers scheduled execution only, which Simulate does not support; export it for co-simulation or model \
         exchange"
    )]
    ScheduledOnly,
    #[error("the model identifier “{0}” is not a name of a library")]
    Identifier(String),
}
