//! Errors as the exceptions of `simulate.errors`, which have the file, the line and the block as attributes.

use std::error::Error as _;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use simulate::engine::RunError;
use simulate::model::{Diagnostic, PortRef, Severity};
use simulate::{Error, ErrorKind};

/// The name of an exception class of `simulate.errors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Load,
    Invalid,
    Path,
    Edit,
    Run,
    Engine,
    Analysis,
    Checkpoint,
    File,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Load => "LoadError",
            Kind::Invalid => "InvalidModelError",
            Kind::Path => "PathError",
            Kind::Edit => "EditError",
            Kind::Run => "RunError",
            Kind::Engine => "EngineError",
            Kind::Analysis => "AnalysisError",
            Kind::Checkpoint => "CheckpointError",
            Kind::File => "FileError",
        }
    }

    /// Returns an exception with a message.
    pub fn of(self, py: Python<'_>, error: impl ToString) -> PyErr {
        self.with(py, error, |_| Ok(()))
    }

    /// Returns an exception with a message and attributes.
    pub fn with(
        self,
        py: Python<'_>,
        error: impl ToString,
        fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
    ) -> PyErr {
        let made = || {
            let attributes = PyDict::new(py);
            fill(&attributes)?;
            let class = py.import("simulate.errors")?.getattr(self.class())?;
            class.call((error.to_string(),), Some(&attributes))
        };
        match made() {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

/// Returns the exception of a call of the library, with the file of the simulation.
pub fn failed(py: Python<'_>, error: &Error, file: Option<&str>) -> PyErr {
    let kind = match error.kind() {
        ErrorKind::Open => Kind::Load,
        ErrorKind::Invalid => Kind::Invalid,
        ErrorKind::Address => Kind::Path,
        ErrorKind::Edit => Kind::Edit,
        ErrorKind::Engine => Kind::Engine,
        ErrorKind::Step => Kind::Run,
        ErrorKind::Checkpoint => Kind::Checkpoint,
        _ => Kind::File,
    };
    let found = error.diagnostics();
    let more = if error.to_string().ends_with("more errors") { "; see .diagnostics" } else { "" };
    kind.with(py, format!("{error}{more}"), |attributes| {
        let first = found.iter().find(|diagnostic| diagnostic.is_error()).or(found.first());
        if let (Kind::Invalid, Some(first)) = (kind, first) {
            let list = found.iter().map(|of| diagnostic(py, of, file)).collect::<PyResult<Vec<_>>>()?;
            attributes.set_item("diagnostics", list)?;
            attributes.set_item("code", first.code)?;
            attributes.set_item("help", &first.help)?;
        }
        if let Some(first) = first {
            locate(attributes, first, file)?;
        }
        if let Some(block) = error.block() {
            attributes.set_item("block", block)?;
        }
        if let Some(step) = error.source().and_then(|source| source.downcast_ref::<RunError>()) {
            attributes.set_item("step", step.step)?;
            attributes.set_item("time", step.time)?;
            attributes.set_item("problem", &step.problem)?;
            attributes.set_item("file", file)?;
        }
        Ok(())
    })
}

fn locate(attributes: &Bound<'_, PyDict>, of: &Diagnostic, file: Option<&str>) -> PyResult<()> {
    attributes.set_item("file", file)?;
    attributes.set_item("line", of.location.text.map(|text| text.line))?;
    attributes.set_item("column", of.location.text.map(|text| text.column))?;
    attributes.set_item("model", of.location.model.as_deref())?;
    attributes.set_item("block", of.location.block.map(|block| block.to_string()))
}

/// Returns a diagnostic as a `simulate.Diagnostic`.
pub fn diagnostic<'py>(py: Python<'py>, of: &Diagnostic, file: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let attributes = PyDict::new(py);
    let severity = match of.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    attributes.set_item("severity", severity)?;
    attributes.set_item("code", of.code)?;
    attributes.set_item("message", &of.message)?;
    attributes.set_item("help", &of.help)?;
    let (input, output) = match &of.location.port {
        Some(PortRef::Input(name)) => (Some(&**name), None),
        Some(PortRef::Output(name)) => (None, Some(&**name)),
        None => (None, None),
    };
    attributes.set_item("input", input)?;
    attributes.set_item("output", output)?;
    attributes.set_item("subject", of.location.subject.as_deref())?;
    locate(&attributes, of, file)?;
    py.import("simulate.errors")?.getattr("Diagnostic")?.call((), Some(&attributes))
}
