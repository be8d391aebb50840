//! Models of other programs, read and turned into a simulation.
//!
//! An import has three stages, each with a type of its own:
//!
//! 1. A reader turns the bytes of a file into a `Source`: systems, blocks, lines, annotations and parameters as text, as
//!    the file has them. It knows the format and nothing of this program's blocks.
//! 2. `map` turns the source into a [`Simulation`](crate::model::Simulation): a model for each system, blocks by a table
//!    with an entry for each kind of foreign block, expressions with their names kept as variables, and a placeholder for
//!    what has no counterpart.
//! 3. The [`Report`] says for each foreign block whether it is exact, approximated (in which way) or a placeholder (why).
//!
//! | module | contents |
//! |---|---|
//! | `source` | the foreign document, common to all formats |
//! | `simulink` | the readers of .slx and .mdl |
//! | `xcos` | the readers of .zcos and .xcos |
//! | `files` | the files beside a model: libraries, scripts, arrays |
//! | `values`, `script` | expressions of other programs as expressions of this one; the variables of a workspace; scripts |
//! | `map` | from a source to a simulation: the table of blocks, subsystems, wires, settings |
//! | `picture` | positions, sizes and bends |
//! | `options` | what an import may use, and what it gives |
//! | `given` | the values that a file gives for names of a simulation |
//! | `report` | what became of each block |
//! | `loader` | the formats for [`Formats`](crate::format::Formats), which only read |
//!
//! Nothing of a file is ever run: no callback, no script, no code of a mask. They are read as far as they assign values.
//! This layer knows blocks, documents and files, but neither engines nor windows.

mod error;
mod files;
mod given;
mod loader;
mod map;
mod options;
mod picture;
mod report;
mod script;
mod simulink;
mod source;
mod values;
mod xcos;

use std::path::Path;

pub use error::ImportError;
pub use given::GivenValues;
pub use loader::{FORMATS, Foreign};
pub use options::{ImportOptions, Imported};
pub use report::{Class, Entry, Missing, Report};

use self::files::Files;
use self::source::Source;

/// Whether the extension of a path is that of a model of another program.
pub fn is_foreign(path: &Path) -> bool {
    let extension = extension(path);
    FORMATS.iter().any(|format| format.has(&extension))
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase()
}

/// Imports the bytes of a file with this path. Files beside it are read if the model names them.
///
/// # Errors
/// If the bytes are not a model of a known format, or a value of the options cannot be read. A single block is never an
/// error.
pub fn import(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Imported, ImportError> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(reason) = xcos::too_old(&extension(path)).filter(|_| !xcos::is_diagram(bytes)) {
        return Err(ImportError::NoModel(reason));
    }
    let source = read(&stem, bytes)?;
    let files = Files::beside(path, &options.libraries);
    mapped(source, files, options)
}

/// Imports bytes that are in no folder: no file beside them is read but those in the folders of the options.
///
/// # Errors
/// As [`import`].
pub fn import_bytes(name: &str, bytes: &[u8], options: &ImportOptions) -> Result<Imported, ImportError> {
    mapped(read(name, bytes)?, Files::only(&options.libraries), options)
}

/// Maps a source; the simulation keeps what a user has to look at.
fn mapped(source: Source, files: Files, options: &ImportOptions) -> Result<Imported, ImportError> {
    let mut imported = map::map(source, files, options)?;
    imported.report.keep(&mut imported.simulation);
    Ok(imported)
}

/// Reads a model without mapping it.
fn read(stem: &str, bytes: &[u8]) -> Result<Source, ImportError> {
    if !xcos::is_diagram(bytes) {
        return simulink::read(stem, bytes);
    }
    let mut source = xcos::read(stem, bytes)?;
    picture::shrink(&mut source.system);
    Ok(source)
}
