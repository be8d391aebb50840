//! Reads reference curves from the folder of the simulation.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use crate::calibration::{DataError, TableColumns};
use crate::requirement::{Condition, Requirement, reference_parts};
use crate::results::{ReadTableError, read_table};

/// Why a reference curve cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    #[error("save the simulation first: the file {0} is looked for in its folder")]
    NotSaved(String),
    #[error("{0}: a reference curve must be in the folder of the simulation")]
    Outside(String),
    #[error("{0}: expected FILE:COLUMN, or FILE for its first column")]
    Source(String),
    #[error(transparent)]
    Table(#[from] ReadTableError),
    #[error("{0}: {1}")]
    Columns(String, DataError),
}

/// Returns the reference curves of requirements by their sources. Files are read inside the folder only, since the
/// requirements may come from someone else.
pub(super) fn read_references(
    requirements: &[Requirement],
    folder: Option<&Path>,
) -> Result<BTreeMap<String, Vec<(f64, f64)>>, ReferenceError> {
    let mut curves = BTreeMap::new();
    for condition in requirements.iter().flat_map(|requirement| &requirement.any) {
        if let Condition::Follows { source, .. } = condition {
            curves.insert(source.clone(), read(source, folder)?);
        }
    }
    Ok(curves)
}

fn read(source: &str, folder: Option<&Path>) -> Result<Vec<(f64, f64)>, ReferenceError> {
    let folder = folder.ok_or_else(|| ReferenceError::NotSaved(source.to_owned()))?;
    let (path, column) = reference_parts(source, |source| folder.join(source).is_file());
    let outside = || ReferenceError::Outside(path.to_owned());
    if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let path = folder.join(path);
    // A link may lead outside.
    if let (Ok(real), Ok(folder)) = (path.canonicalize(), folder.canonicalize())
        && !real.starts_with(folder)
    {
        return Err(outside());
    }
    let table = read_table(&path)?;
    let failed = |error| ReferenceError::Columns(source.to_owned(), error);
    let columns = TableColumns::new(&table, None).map_err(failed)?;
    columns.curve(column).map_err(failed)?.ok_or_else(|| ReferenceError::Source(source.to_owned()))
}
