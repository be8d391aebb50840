//! The options and the result of an import.

use std::path::PathBuf;

use super::report::Report;
use crate::model::Simulation;

/// Files and values that an import may use besides the file.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Folders with libraries and referenced models, besides that of the file.
    pub libraries: Vec<PathBuf>,
    /// Values for names of the model, as `name=value`, in the language of the file.
    pub set: Vec<String>,
    /// Files with values: .m, .mat or .csv.
    pub values: Vec<PathBuf>,
}

/// An imported model.
#[derive(Clone, Debug)]
pub struct Imported {
    pub simulation: Simulation,
    pub report: Report,
}
