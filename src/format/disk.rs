//! Whole files. A save that fails or is interrupted leaves the file as it was.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;

use super::{Formats, LoadError, LoadOptions, Loaded, SaveError};
use crate::model::Simulation;

/// As many symbolic links as Linux follows.
const MOST_LINKS: usize = 40;

/// More bytes than this are no simulation.
const MOST_SIMULATION: u64 = 1 << 30;

/// Reads a whole file: only a regular one, and not more than `limit` bytes. A device or a pipe would give bytes for
/// ever, or none for ever.
///
/// # Errors
/// Where it cannot be read, is something else than a regular file, or longer.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Before it is opened, which a pipe would never be.
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::Error::other("this is a folder; choose a file"));
    }
    if !about.is_file() {
        return Err(io::Error::other("this is not a regular file"));
    }
    let too_long = || io::Error::other(format!("the file is longer than {} MB", limit >> 20));
    if about.len() > limit {
        return Err(too_long());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_long()) } else { Ok(bytes) }
}

/// Begins a file that takes the place of `path` when it is committed. Symbolic links are followed and stay.
///
/// # Errors
/// Where something else than a regular file stands there, one that may not be written, or the folder takes no file.
pub fn begin(path: &Path) -> io::Result<AtomicWriteFile> {
    let target = behind_links(path)?;
    match fs::metadata(&target) {
        Ok(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(old) if !old.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "something else than a regular file stands there"))
        }
        // Renaming over a file needs no right to write to it, but the user took that right away.
        Ok(old) if old.permissions().readonly() => Err(io::ErrorKind::PermissionDenied.into()),
        // What is not committed removes its temporary file when dropped.
        _ => AtomicWriteFile::open(&target),
    }
}

/// Reads a file in any of the standard formats.
///
/// # Errors
/// Where the file cannot be read or nothing in it can be understood.
pub fn open(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    parse(path, &read_bounded(path, MOST_SIMULATION)?, options)
}

/// Reads what a file of this path holds, in any of the standard formats.
///
/// # Errors
/// Where nothing in it can be understood.
pub fn parse(path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
    let formats = Formats::standard();
    match formats.of_content(bytes, path) {
        Some(loader) => loader.read(bytes, options),
        None => Err(LoadError::UnknownFormat { known: formats.extensions_text() }),
    }
}

/// Writes a file in the format of its extension. Symbolic links are followed and stay, permissions are kept.
///
/// # Errors
/// Where the extension is unknown, the simulation cannot be said in the format, or the file cannot be written; it is
/// then as it was before.
pub fn save(path: &Path, simulation: &Simulation) -> Result<(), SaveError> {
    Ok(replace(path, &bytes_of(path, simulation)?)?)
}

/// What a file of this path is to hold, in the format of its extension.
///
/// # Errors
/// Where the extension is unknown or the simulation cannot be said in the format.
pub fn bytes_of(path: &Path, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
    let formats = Formats::standard();
    match formats.of_path(path) {
        Some(loader) => loader.write(simulation),
        None => Err(SaveError::UnknownFormat { known: formats.extensions_text() }),
    }
}

/// Writes a whole file, or leaves what was there before. Symbolic links are followed and stay, permissions are kept.
///
/// # Errors
/// Where the file cannot be written; it is then as it was before.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = behind_links(path)?;
    match fs::metadata(&target) {
        // A pipe or a device is written to; a file put in its place would help nobody.
        Ok(old) if !old.is_file() && !old.is_dir() => File::options().write(true).open(&target)?.write_all(bytes),
        _ => {
            let mut file = begin(&target)?;
            file.write_all(bytes)?;
            file.commit()
        }
    }
}

/// The file that a path means: the target of symbolic links, which need not be there yet.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            // Relative to the link's own folder.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}
