//! Errors as the exceptions of `simulate.errors`, which have the file, the line and the block as attributes.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use simulate::engine::RunError;
use simulate::model::{BlockAddress, Diagnostic, PortRef, Severity, Simulation, model_at};

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

/// Returns the exception of a simulation that cannot run.
pub fn invalid(py: Python<'_>, found: &[Diagnostic], file: Option<&str>) -> PyErr {
    let Some(first) = found.iter().find(|diagnostic| diagnostic.is_error()).or(found.first()) else {
        return Kind::Invalid.of(py, "the simulation is invalid");
    };
    let errors = found.iter().filter(|diagnostic| diagnostic.is_error()).count();
    let place = first.location.to_string();
    let at = match (file, first.location.text) {
        (Some(file), Some(_)) => format!("{file}:{place}: "),
        (Some(file), None) => format!("{file}: {place}: "),
        (None, _) if place.is_empty() => String::new(),
        (None, _) => format!("{place}: "),
    };
    let help = if first.help.is_empty() { String::new() } else { format!("\n  help: {}", first.help) };
    let more = if errors > 1 { format!("\n  and {} more errors; see .diagnostics", errors - 1) } else { String::new() };
    Kind::Invalid.with(py, format!("{at}{}{help}{more}", first.message), |attributes| {
        let list = found.iter().map(|of| diagnostic(py, of, file)).collect::<PyResult<Vec<_>>>()?;
        attributes.set_item("diagnostics", list)?;
        attributes.set_item("code", first.code)?;
        attributes.set_item("help", &first.help)?;
        locate(attributes, first, file)
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

/// Returns the exception of a step that cannot be completed.
pub fn failed_step(py: Python<'_>, error: &RunError, simulation: &Simulation, file: Option<&str>) -> PyErr {
    let block = error.block.as_ref().map(|block| text_of(simulation, block));
    let at = block.as_ref().map(|block| format!("\n  block: {block}")).unwrap_or_default();
    Kind::Run.with(py, format!("{error}{at}"), |attributes| {
        attributes.set_item("step", error.step)?;
        attributes.set_item("time", error.time)?;
        attributes.set_item("problem", &error.problem)?;
        attributes.set_item("block", block)?;
        attributes.set_item("file", file)
    })
}

/// Returns the path of a block as a text: by its title where that is unique, otherwise by its id.
pub fn text_of(simulation: &Simulation, address: &BlockAddress) -> String {
    let text = address.text(simulation);
    let title = model_at(simulation, &address.path).and_then(|model| {
        let title = model.block(address.block)?.title();
        let is_plain = !title.is_empty() && !title.contains(['/', '.', '#', '[', '=']);
        let is_unique = model.blocks.values().filter(|other| other.is_called(title)).count() == 1;
        Some(title).filter(|_| is_plain && is_unique)
    });
    match (title, text.strip_suffix(&address.block.to_string())) {
        (Some(title), Some(around)) => format!("{around}{title}"),
        _ => text,
    }
}
