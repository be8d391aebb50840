//! A change of a design, written into the file that it comes from.

use std::path::Path;

use crate::block::Registry;
use crate::cli::opened::FileArgs;
use crate::components::Components;
use crate::format::{LoadError, Outputs, Overwrite, SaveError};
use crate::model::{Change, EditError};

#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error("--write: {0}")]
    Edit(#[from] EditError),
    #[error("--write: {0}")]
    Load(#[from] LoadError),
    #[error("--write: {0}")]
    Save(#[from] SaveError),
}

/// Writes a change into the file as it is, without the values of `--set`.
pub(super) fn write(
    components: &Components,
    registry: &Registry,
    (file, files): (&Path, &FileArgs),
    change: Change,
) -> Result<(), WriteError> {
    let formats = &components.formats;
    let simulation = formats.open(file, &files.options())?.simulation;
    let changed = change.applied(&simulation, registry)?;
    let bytes = formats.bytes_of(file, &changed)?;
    let mut outputs = Outputs::new(formats).overwriting(Overwrite::AnyKind);
    let written = outputs.admit_any(file).map_err(std::io::Error::from).and_then(|file| file.replace(&bytes));
    Ok(written.map_err(SaveError::from)?)
}
