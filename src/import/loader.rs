//! The formats that are only read.

use std::path::Path;

use super::report::Class;
use super::{ImportError, ImportOptions, Imported, import, import_bytes};
use crate::format::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use crate::model::{Diagnostic, Simulation, TextPosition};

/// Simulink models: archives.
pub struct Slx;

/// Simulink models: text, old and new.
pub struct Mdl;

/// Xcos diagrams: archives.
pub struct Zcos;

/// Xcos diagrams: XML.
pub struct Xcos;

impl Loader for Slx {
    fn name(&self) -> &'static str {
        "slx"
    }

    fn title(&self) -> &'static str {
        "Simulink model"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["slx"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(b"PK") && super::simulink::is_package(bytes)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import_bytes("Model", bytes, &ImportOptions::default()), options)
    }

    fn read_at(&self, path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import(path, bytes, &ImportOptions::default()), options)
    }

    fn write(&self, _: &Simulation) -> Result<Vec<u8>, SaveError> {
        Err(read_only())
    }

    fn is_read_only(&self) -> bool {
        true
    }
}

impl Loader for Mdl {
    fn name(&self) -> &'static str {
        "mdl"
    }

    fn title(&self) -> &'static str {
        "Simulink model (text)"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["mdl"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        !bytes.starts_with(b"PK") && super::simulink::is_package(bytes)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import_bytes("Model", bytes, &ImportOptions::default()), options)
    }

    fn read_at(&self, path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import(path, bytes, &ImportOptions::default()), options)
    }

    fn write(&self, _: &Simulation) -> Result<Vec<u8>, SaveError> {
        Err(read_only())
    }

    fn is_read_only(&self) -> bool {
        true
    }
}

impl Loader for Zcos {
    fn name(&self) -> &'static str {
        "zcos"
    }

    fn title(&self) -> &'static str {
        "Xcos diagram"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["zcos"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(b"PK") && super::xcos::is_diagram(bytes)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import_bytes("Model", bytes, &ImportOptions::default()), options)
    }

    fn read_at(&self, path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import(path, bytes, &ImportOptions::default()), options)
    }

    fn write(&self, _: &Simulation) -> Result<Vec<u8>, SaveError> {
        Err(read_only())
    }

    fn is_read_only(&self) -> bool {
        true
    }
}

impl Loader for Xcos {
    fn name(&self) -> &'static str {
        "xcos"
    }

    fn title(&self) -> &'static str {
        "Xcos diagram (XML)"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xcos"]
    }

    fn recognizes(&self, bytes: &[u8]) -> bool {
        !bytes.starts_with(b"PK") && super::xcos::is_diagram(bytes)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import_bytes("Model", bytes, &ImportOptions::default()), options)
    }

    fn read_at(&self, path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        loaded(import(path, bytes, &ImportOptions::default()), options)
    }

    fn write(&self, _: &Simulation) -> Result<Vec<u8>, SaveError> {
        Err(read_only())
    }

    fn is_read_only(&self) -> bool {
        true
    }
}

fn read_only() -> SaveError {
    SaveError::Inexpressible { problem: "models of other programs are only read; save as .simx".to_owned() }
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
    Ok(Loaded { simulation, diagnostics, ..Loaded::default() }.finish(options))
}

fn load_error(error: ImportError) -> LoadError {
    match error {
        ImportError::Malformed { ref part, line, ref problem } => {
            LoadError::Malformed { position: TextPosition { line, column: 1 }, problem: format!("{part}: {problem}") }
        }
        other => LoadError::Damaged { problem: other.to_string() },
    }
}
