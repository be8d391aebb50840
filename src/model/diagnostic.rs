//! An error or warning about the user's model: the problem, its location and the remedy.

use std::fmt;
use std::sync::Arc;

use super::{BlockId, InputKey};

#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// A stable code for scripts, such as `unknown-block`.
    pub code: &'static str,
    /// The problem and the expected value, without a full stop.
    pub message: String,
    /// The remedy; empty if the message says it.
    pub help: String,
    pub location: Location,
}

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
    pub text: Option<TextPosition>,
    pub model: Option<Arc<str>>,
    pub block: Option<BlockId>,
    pub port: Option<PortRef>,
    /// The name of the option, variable or attribute.
    pub subject: Option<Arc<str>>,
    /// The wires of a loop, by their inputs.
    pub wires: Vec<InputKey>,
}

/// A position in a text. Both numbers count from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortRef {
    Input(Arc<str>),
    Output(Arc<str>),
}

impl Diagnostic {
    pub fn error(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            help: String::new(),
            location: Location::default(),
        }
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// The same diagnostic as a warning, for a problem that does not prevent a run.
    pub fn as_warning(self) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..self }
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = help.into();
        self
    }

    pub fn at(mut self, text: TextPosition) -> Diagnostic {
        self.location.text = Some(text);
        self
    }

    pub fn in_model(mut self, model: &str) -> Diagnostic {
        self.location.model = Some(model.into());
        self
    }

    pub fn on_block(mut self, model: &str, block: BlockId) -> Diagnostic {
        self.location.model = Some(model.into());
        self.location.block = Some(block);
        self
    }

    pub fn on_input(mut self, input: &str) -> Diagnostic {
        self.location.port = Some(PortRef::Input(input.into()));
        self
    }

    pub fn on_output(mut self, output: &str) -> Diagnostic {
        self.location.port = Some(PortRef::Output(output.into()));
        self
    }

    /// Names the option, variable or attribute that has the wrong value.
    pub fn about(mut self, subject: &str) -> Diagnostic {
        self.location.subject = Some(subject.into());
        self
    }

    pub fn through(mut self, wires: impl IntoIterator<Item = InputKey>) -> Diagnostic {
        self.location.wires = wires.into_iter().collect();
        self
    }

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
