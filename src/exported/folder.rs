//! Writes the files of an export.

use std::fs;
use std::io;
use std::path::Path;

use crate::export::c::Code;
use crate::format;

/// Why the files are not written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{0} is already there, and not from an export of {1}; choose another folder")]
    Taken(String, String),
    #[error("{0}: {1}")]
    Unwritable(String, io::Error),
}

/// Writes the files of the code; each is complete or as it was before. Only the files of an export of the same name are
/// replaced: a `Makefile` may be somebody's own.
///
/// # Errors
/// If a file of somebody else has the name of one of these, or one cannot be written.
pub fn write(folder: &Path, code: &Code) -> Result<(), FolderError> {
    let is_again = folder.join(format!("{}.trace.json", code.name)).is_file();
    let mut paths = code.files.iter().map(|file| folder.join(&file.name));
    if !is_again && let Some(taken) = paths.find(|path| fs::symlink_metadata(path).is_ok()) {
        return Err(FolderError::Taken(taken.display().to_string(), code.name.clone()));
    }
    fs::create_dir_all(folder).map_err(|error| FolderError::Unwritable(folder.display().to_string(), error))?;
    code.files.iter().try_for_each(|file| write_file(&folder.join(&file.name), file.text.as_bytes()))
}

/// Writes a file atomically.
///
/// # Errors
/// If it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    format::replace(path, bytes).map_err(|error| FolderError::Unwritable(path.display().to_string(), error))
}
