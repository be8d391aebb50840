//! Models of other programs: their options, and what became of their blocks.

use std::path::{Path, PathBuf};

use crate::format::read_bounded;
use crate::import::{self, ImportError, ImportOptions, Imported};

/// The largest file of another program, in bytes.
const MAX_FILE: u64 = 256 << 20;

/// The options of commands that import models of other programs.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ImportArgs {
    /// Looks for libraries and referenced models of an imported model in this folder too, not only beside it
    #[arg(long, value_name = "DIR")]
    pub library: Vec<PathBuf>,
    /// Sets a name that an imported model uses, as NAME=VALUE in the language of its program
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Reads values for an imported model from a script (.m), arrays (.mat) or a table of names and values (.csv)
    #[arg(long, value_name = "FILE")]
    pub values: Vec<PathBuf>,
}

/// Imports a file if it is a model of another program; none if it is not.
pub fn import(path: &Path, args: &ImportArgs) -> Option<Result<Imported, ImportError>> {
    if !import::is_foreign(path) {
        return None;
    }
    // Other errors are those of any file.
    let bytes = read_bounded(path, MAX_FILE).ok()?;
    let options = ImportOptions { libraries: args.library.clone(), set: args.set.clone(), values: args.values.clone() };
    Some(import::import(path, &bytes, &options))
}
