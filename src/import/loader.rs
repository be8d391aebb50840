//! The formats that are only read.

use std::path::Path;

use super::report::Class;
use super::{ImportError, ImportOptions, Imported, import, import_bytes, simulink, xcos};
use crate::format::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use crate::model::{Diagnostic, Simulation, TextPosition};

/// A format of another program.
pub struct Foreign {
    name: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
    recognizes: fn(&[u8]) -> bool,
}

/// All formats of other programs.
pub const FORMATS: [Foreign; 4] = [
    Foreign {
        name: "slx",
        title: "Simulink model",
        extensions: &["slx"],
        recognizes: |bytes| bytes.starts_with(b"PK") && simulink::is_package(bytes),
    },
    Foreign {
        name: "mdl",
        title: "Simulink model (text)",
        extensions: &["mdl"],
        recognizes: |bytes| !bytes.starts_with(b"PK") && simulink::is_package(bytes),
    },
    Foreign { name: "xcos", title: "Xcos diagram", extensions: &["zcos", "xcos"], recognizes: xcos::is_diagram },
    // Only for the reason why it is not read.
    Foreign {
        name: "scicos",
        title: "Diagram of old Scilab",
        extensions: &["cos", "cosf", "scg"],
        recognizes: |_| false,
    },
];

impl Foreign {
    pub(super) fn has(&self, extension: &str) -> bool {
        self.extensions.contains(&extension)
    }
}

impl Loader for Foreign {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        (self.recognizes)(bytes)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import_bytes("Model", bytes, &ImportOptions::default()), options)
    }

    fn read_at(&self, path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import(path, bytes, &ImportOptions::default()), options)
    }

    fn write(&self, _: &Simulation) -> Result<Vec<u8>, SaveError> {
        let problem = "models of other programs are only read; save as .simx".to_owned();
        Err(SaveError::Inexpressible { problem })
    }

    fn is_read_only(&self) -> bool {
        true
    }
}

fn loaded(imported: Result<Imported, ImportError>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let Imported { simulation, report } = imported.map_err(load_error)?;
    let mut diagnostics = Vec::new();
    for entry in report.entries.iter().filter(|entry| entry.class == Class::Approximated) {
        let message = format!("{} is approximated: {}", entry.path, entry.notes.join("; "));
        let warning = Diagnostic::warning("approximated", message);
        diagnostics.push(match (&entry.model, entry.block) {
            (Some(model), Some(block)) => warning.on_block(model, block),
            _ => warning,
        });
    }
    Ok(Loaded { simulation, diagnostics, imported: Some(report), ..Loaded::default() }.finish(options))
}

fn load_error(error: ImportError) -> LoadError {
    match error {
        ImportError::Malformed { ref part, line, ref problem } => {
            LoadError::Malformed { position: TextPosition { line, column: 1 }, problem: format!("{part}: {problem}") }
        }
        other => LoadError::Damaged { problem: other.to_string() },
    }
}
