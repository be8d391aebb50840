//! An error or warning about the user's model: the problem, its location and the remedy.

use std::fmt;
use std::sync::Arc;

use super::{BlockId, InputKey};

/// An error or a warning about a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Whether the simulation runs.
    pub severity: Severity,
    /// A stable code for scripts, such as `unknown-block`.
    pub code: &'static str,
    /// The problem and the expected value, without a full stop.
    pub message: String,
    /// The remedy; empty if the message says it.
    pub help: String,
    /// Where the problem is.
    pub location: Location,
}

/// Whether a simulation runs with a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The simulation runs.
    Warning,
    /// The simulation does not run.
    Error,
}

/// The location of a diagnostic, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Location {
    /// The position in the file.
    pub text: Option<TextPosition>,
    /// The model.
    pub model: Option<Arc<str>>,
    /// The block of the model.
    pub block: Option<BlockId>,
    /// The port of the block.
    pub port: Option<PortRef>,
    /// The name of the option, variable or attribute.
    pub subject: Option<Arc<str>>,
    /// The wires of a loop, by their inputs.
    pub wires: Vec<InputKey>,
}

/// A position in a text. Both numbers count from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A port of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortRef {
    /// An input, by its name.
    Input(Arc<str>),
    /// An output, by its name.
    Output(Arc<str>),
}

impl Diagnostic {
    /// Returns an error without a place.
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            help: String::new(),
            location: Location::default(),
        }
    }

    /// Returns a warning without a place.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// The same diagnostic as a warning, for a problem that does not prevent a run.
    pub fn as_warning(self) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..self }
    }

    /// Sets the remedy.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = help.into();
        self
    }

    /// Sets the position in the file.
    pub fn at(mut self, text: TextPosition) -> Diagnostic {
        self.location.text = Some(text);
        self
    }

    /// Sets the model.
    pub fn in_model(mut self, model: &str) -> Diagnostic {
        self.location.model = Some(model.into());
        self
    }

    /// Sets the model and the block.
    pub fn on_block(mut self, model: &str, block: BlockId) -> Diagnostic {
        self.location.model = Some(model.into());
        self.location.block = Some(block);
        self
    }

    /// Sets the input of the block.
    pub fn on_input(mut self, input: &str) -> Diagnostic {
        self.location.port = Some(PortRef::Input(input.into()));
        self
    }

    /// Sets the output of the block.
    pub fn on_output(mut self, output: &str) -> Diagnostic {
        self.location.port = Some(PortRef::Output(output.into()));
        self
    }

    /// Names the option, variable or attribute that has the wrong value.
    pub fn about(mut self, subject: &str) -> Diagnostic {
        self.location.subject = Some(subject.into());
        self
    }

    /// Sets the wires of a loop.
    pub fn through(mut self, wires: impl IntoIterator<Item = InputKey>) -> Diagnostic {
        self.location.wires = wires.into_iter().collect();
        self
    }

    /// Whether the simulation does not run with it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Location {
    /// `12:5, Plant #3.Input`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(text) = self.text {
            write!(f, "{text}")?;
            if self.model.is_some() {
                write!(f, ", ")?;
            }
        }
        if let Some(model) = &self.model {
            write!(f, "{model}")?;
        }
        if let Some(block) = self.block {
            write!(f, " {block}")?;
        }
        match &self.port {
            Some(PortRef::Input(name) | PortRef::Output(name)) => write!(f, ".{name}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
