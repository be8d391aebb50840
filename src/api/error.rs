//! The error of every call.

use std::error::Error as StdError;
use std::path::Path;

use crate::block::FileError;
use crate::engine::{CheckpointError, Declined, OverrideError};
use crate::format::LoadError;
use crate::model::{Diagnostic, EditError, SignalError};

/// What failed, where, and what to do; [`Error::kind`] tells kinds apart, and `source()` is the error behind it.
///
/// ```
/// use simulate::{ErrorKind, Simulation};
///
/// let mut simulation = Simulation::open("assets/examples/dc_motor.simx")?;
/// let error = simulation.set("PID/P.Gian", 120).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Address);
/// assert_eq!(error.to_string(), "PID/P.Gian=120: the block has no option “Gian”; its options are: Gain");
/// # Ok::<(), simulate::Error>(())
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    text: String,
    found: Vec<Diagnostic>,
    block: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What an [`Error`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file cannot be opened, or it is not a simulation.
    Open,
    /// The simulation has errors: [`Error::diagnostics`].
    Invalid,
    /// A text leads to no signal, option or variable, or its value is not possible.
    Address,
    /// The document refuses a change.
    Edit,
    /// There is no such engine, or it cannot run this simulation.
    Engine,
    /// A step cannot be completed.
    Step,
    /// These bytes are no checkpoint of this simulation.
    Checkpoint,
    /// A file cannot be written, or may not be accessed.
    File,
}

impl Error {
    /// An error with the text of its source.
    pub(super) fn of(kind: ErrorKind, source: impl StdError + Send + Sync + 'static) -> Error {
        let text = source.to_string();
        Error { kind, text, found: Vec::new(), block: None, source: Some(Box::new(source)) }
    }

    pub(super) fn new(kind: ErrorKind, text: String) -> Error {
        Error { kind, text, found: Vec::new(), block: None, source: None }
    }

    /// The error of a file that cannot be opened, with its place in the file.
    pub(super) fn open(path: &Path, source: LoadError) -> Error {
        let found = vec![source.to_diagnostic()];
        Error { found, ..Error::of(ErrorKind::Open, source) }.in_front(&format!("{}: ", path.display()))
    }

    /// The error of a simulation that cannot run: the first of its errors, and how many more there are.
    pub(super) fn invalid(found: Vec<Diagnostic>, path: Option<&Path>) -> Error {
        let errors = found.iter().filter(|diagnostic| diagnostic.is_error()).count();
        let text = match found.iter().find(|diagnostic| diagnostic.is_error()).or(found.first()) {
            None => "the simulation is invalid".to_owned(),
            Some(first) => {
                let place = first.location.to_string();
                let at = match (path.map(Path::display), first.location.text) {
                    (Some(file), Some(_)) => format!("{file}:{place}: "),
                    (Some(file), None) => format!("{file}: {place}: "),
                    (None, _) if place.is_empty() => String::new(),
                    (None, _) => format!("{place}: "),
                };
                let help = if first.help.is_empty() { String::new() } else { format!("\n  help: {}", first.help) };
                let more = if errors > 1 { format!("\n  and {} more errors", errors - 1) } else { String::new() };
                format!("{at}{}{help}{more}", first.message)
            }
        };
        Error { found, ..Error::new(ErrorKind::Invalid, text) }
    }

    /// Puts a text in front of the message.
    pub(super) fn in_front(mut self, text: &str) -> Error {
        self.text.insert_str(0, text);
        self
    }

    /// Names the block on a line of its own.
    pub(super) fn at_block(mut self, block: Option<String>) -> Error {
        block.iter().for_each(|block| self.text += &format!("\n  block: {block}"));
        Error { block, ..self }
    }

    /// Returns what the error is about.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the address of the block at which a step failed or a file cannot be written.
    pub fn block(&self) -> Option<&str> {
        self.block.as_deref()
    }

    /// Returns the errors and warnings of a simulation that cannot run, and the place of a file that cannot be opened.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.found
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

macro_rules! from {
    ($($kind:ident: $source:ty),* $(,)?) => { $(
        impl From<$source> for Error {
            fn from(error: $source) -> Error {
                Error::of(ErrorKind::$kind, error)
            }
        }
    )* };
}

from! {
    Address: SignalError,
    Address: OverrideError,
    Edit: EditError,
    Engine: Declined,
    Checkpoint: CheckpointError,
    File: FileError,
}
