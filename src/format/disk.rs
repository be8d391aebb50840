//! Reads and writes complete files. A save that fails or is interrupted leaves the file unchanged.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::new_file::{NewFile, plain, through_file};
use super::{Formats, LoadError, LoadOptions, Loaded, SaveError};
use crate::model::Simulation;

/// The maximum number of symbolic links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// The maximum size of a simulation file, in bytes.
const MAX_SIMULATION: u64 = 1 << 30;

/// Reads a regular file of at most `limit` bytes. Devices and pipes are refused, since reading them may never end.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is longer.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // The first check comes before opening: opening a pipe may block.
    check_readable(&fs::metadata(path).map_err(through_file)?, limit)?;
    read_open(&File::open(path)?, limit)
}

/// The same of a file that is open.
pub(super) fn read_open(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let about = file.metadata()?;
    check_readable(&about, limit)?;
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_long(limit)) } else { Ok(bytes) }
}

fn check_readable(about: &fs::Metadata, limit: u64) -> io::Result<()> {
    if about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; choose a file"));
    }
    if !about.is_file() {
        return Err(io::Error::other("this is not a regular file"));
    }
    if about.len() > limit { Err(too_long(limit)) } else { Ok(()) }
}

fn too_long(limit: u64) -> io::Error {
    io::Error::other(format!("the file is longer than {} MB", limit >> 20))
}

/// Begins a file that replaces `path` when it is committed. Symbolic links are followed and kept.
///
/// # Errors
/// If `path` exists and is not a regular file or is read-only, or the folder is not writable.
pub fn begin(path: &Path) -> io::Result<NewFile> {
    let target = behind_links(path)?;
    check_target(&target)?;
    NewFile::create(&target)
}

/// Refuses a target that may not be replaced.
pub(super) fn check_target(target: &Path) -> io::Result<()> {
    match fs::metadata(target) {
        Ok(old) if old.is_dir() => Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder with this name exists")),
        Ok(old) if !old.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "a special file with this name exists"))
        }
        // Renaming would replace a file that the user may not write to, against the intent of its owner.
        Ok(old) if old.permissions().readonly() => Err(read_only()),
        Ok(_) => match File::options().write(true).open(target) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(read_only()),
            // Writing reports any other error.
            _ => Ok(()),
        },
        Err(_) => Ok(()),
    }
}

fn read_only() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only")
}

impl Formats {
    /// Loads a file.
    ///
    /// # Errors
    /// If the file cannot be read or parsed.
    pub fn open(&self, path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
        self.parse(path, &read_bounded(path, MAX_SIMULATION)?, options)
    }

    /// Parses the content of a file with this path.
    ///
    /// # Errors
    /// If the content cannot be parsed.
    pub fn parse(&self, path: &Path, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        match self.of_content(bytes, path) {
            Some(loader) => loader.read_at(path, bytes, options),
            None => Err(LoadError::UnknownFormat { known: self.extensions_text() }),
        }
    }

    /// Saves a file in the format of its extension. Symbolic links are followed and kept, as are permissions.
    ///
    /// # Errors
    /// If the extension is unknown, the format cannot represent the simulation, or the file cannot be written; it is
    /// then unchanged.
    pub fn save(&self, path: &Path, simulation: &Simulation) -> Result<(), SaveError> {
        Ok(replace(path, &self.bytes_of(path, simulation)?)?)
    }

    /// Serializes a simulation for a file with this path, in the format of its extension.
    ///
    /// # Errors
    /// If the extension is unknown or the format cannot represent the simulation.
    pub fn bytes_of(&self, path: &Path, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        match self.of_path(path) {
            Some(loader) => loader.write(simulation),
            None => Err(SaveError::UnknownFormat { known: self.extensions_text() }),
        }
    }
}

/// Writes a file completely or leaves it unchanged. Symbolic links are followed and kept, as are permissions.
///
/// # Errors
/// If the file cannot be written; it is then unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = behind_links(path)?;
    match fs::metadata(&target) {
        // A pipe or a device must be written to, not replaced.
        Ok(old) if !old.is_file() && !old.is_dir() => {
            File::options().write(true).open(&target).and_then(|mut file| file.write_all(bytes)).map_err(plain)
        }
        _ => {
            let mut file = begin(&target)?;
            file.write_all(bytes)?;
            file.commit()
        }
    }
}

/// Resolves the symbolic links of a path; the target need not exist.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            // A link is relative to its folder.
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Returns a file name for a model's name: without characters that file names may not contain.
pub fn file_stem(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_ ".contains(c) { c } else { '_' }).collect()
}
