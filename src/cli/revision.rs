//! A state of a simulation: a file, or a state of one in git.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::format::{Formats, LoadError, LoadOptions};
use crate::model::Simulation;

/// Why a state cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    #[error("{1}: {0}")]
    Load(LoadError, String),
    #[error("{1}: {0}")]
    Read(std::io::Error, String),
    #[error("git cannot be run: {0}")]
    Git(std::io::Error),
    #[error("git has no {0}: {1}")]
    Revision(String, String),
}

/// Reads a file, or a state of one in git, such as `HEAD~1:motor.simx`. A file that git says is absent is an empty
/// simulation.
///
/// # Errors
/// If there is no such file or state, or it cannot be read.
pub fn state(text: &str, formats: &Formats) -> Result<Simulation, RevisionError> {
    state_of(text, None, formats)
}

/// Reads a state as [`state`] does. `path` is the path of the file that it is a state of, which says its format; git gives
/// its states in files without an extension, and an empty one where there was no file.
///
/// # Errors
/// Those of [`state`].
pub fn state_of(text: &str, path: Option<&Path>, formats: &Formats) -> Result<Simulation, RevisionError> {
    if let Some(path) = path {
        let bytes = std::fs::read(text).map_err(|error| RevisionError::Read(error, text.to_owned()))?;
        if bytes.is_empty() {
            return Ok(Simulation::default());
        }
        let load = |error| RevisionError::Load(error, path.display().to_string());
        return Ok(formats.parse(path, &bytes, &LoadOptions::default()).map_err(load)?.simulation);
    }
    let path = Path::new(text);
    if text == "/dev/null" || text == "nul" {
        return Ok(Simulation::default());
    }
    let load = |error| RevisionError::Load(error, text.to_owned());
    let revision = text.split_once(':').filter(|(revision, file)| revision.len() > 1 && !file.is_empty());
    let Some((revision, file)) = revision.filter(|_| !path.exists()) else {
        return Ok(formats.open(path, &LoadOptions::default()).map_err(load)?.simulation);
    };
    // Relative to the folder of the command, as any path.
    let path = PathBuf::from(file);
    let object = match path.is_absolute() || file.starts_with('.') {
        true => format!("{revision}:{file}"),
        false => format!("{revision}:./{file}"),
    };
    let shown = Command::new("git").args(["show", "--no-textconv", "--end-of-options", &object]).output();
    let shown = shown.map_err(RevisionError::Git)?;
    if !shown.status.success() {
        let reason = String::from_utf8_lossy(&shown.stderr).trim().to_owned();
        return Err(RevisionError::Revision(text.to_owned(), reason));
    }
    Ok(formats.parse(&path, &shown.stdout, &LoadOptions::default()).map_err(load)?.simulation)
}
