//! A change that a command has computed, written into the file that it comes from.

use std::path::Path;

use crate::block::Registry;
use crate::cli::opened::FileArgs;
use crate::components::Components;
use crate::format::{LoadError, Outputs, Overwrite, SaveError};
use crate::model::{Change, EditError, Simulation};

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("--write: {0}")]
    Edit(#[from] EditError),
    #[error("--write: {0}")]
    Load(#[from] LoadError),
    #[error("--write: {0}")]
    Save(#[from] SaveError),
}

/// Writes a change into the file as it is, without the values of `--set`.
pub fn write(
    components: &Components,
    registry: &Registry,
    (file, files): (&Path, &FileArgs),
    change: Change,
) -> Result<(), WriteError> {
    let simulation = components.formats.open(file, &files.options())?.simulation;
    replace(components, registry, (file, &simulation), change)
}

/// Replaces a file by its simulation with a change.
pub fn replace(
    components: &Components,
    registry: &Registry,
    (file, simulation): (&Path, &Simulation),
    change: Change,
) -> Result<(), WriteError> {
    let formats = &components.formats;
    let changed = change.applied(simulation, registry)?;
    let bytes = formats.bytes_of(file, &changed)?;
    let mut outputs = Outputs::new(formats).overwriting(Overwrite::AnyKind);
    let written = outputs.admit_any(file).map_err(std::io::Error::from).and_then(|file| file.replace(&bytes));
    Ok(written.map_err(SaveError::from)?)
}
