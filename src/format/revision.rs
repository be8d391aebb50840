//! A state of a simulation: a file, or a state of one in git.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{Formats, LoadError, LoadOptions};
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
    let revision = text.split_once(':').filter(|(revision, file)| revision.len() > 1 && !file.is_empty());
    let Some((revision, file)) = revision.filter(|_| !path.exists()) else {
        let load = |error| RevisionError::Load(error, text.to_owned());
        return Ok(formats.open(path, &LoadOptions::default()).map_err(load)?.simulation);
    };
    in_git(Path::new("."), revision, Path::new(file), formats)
}

/// Reads the state that a file has in the last commit of its repository.
///
/// # Errors
/// If it is in no repository, in no commit, or cannot be read.
pub fn last_commit(path: &Path, formats: &Formats) -> Result<Simulation, RevisionError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    in_git(folder, "HEAD", Path::new(path.file_name().unwrap_or_default()), formats)
}

/// Reads a file of a commit; the path is relative to the folder.
fn in_git(folder: &Path, revision: &str, path: &Path, formats: &Formats) -> Result<Simulation, RevisionError> {
    let file = path.display();
    let object = match path.is_absolute() || path.starts_with(".") || path.starts_with("..") {
        true => format!("{revision}:{file}"),
        false => format!("{revision}:./{file}"),
    };
    let name = format!("{revision}:{file}");
    let mut command = Command::new("git");
    command.current_dir(folder).args(["show", "--no-textconv", "--end-of-options", &object]);
    let shown = command.stdin(Stdio::null()).output().map_err(RevisionError::Git)?;
    if !shown.status.success() {
        let reason = String::from_utf8_lossy(&shown.stderr).trim().to_owned();
        return Err(RevisionError::Revision(name, reason));
    }
    let load = |error| RevisionError::Load(error, name.clone());
    Ok(formats.parse(path, &shown.stdout, &LoadOptions::default()).map_err(load)?.simulation)
}
