//! `simulate settle`: settles all conflicts of a merge with one side.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::opened::FileArgs;
use super::output::{FAILURE, SUCCESS, UNREADABLE, complain, counted, print};
use crate::block::FileError;
use crate::components::Components;
use crate::format::{LoadError, LoadOptions, SaveError};
use crate::model::{Change, EditError, Settlement, conflicts, settle_all};

#[derive(Debug, Args)]
pub struct SettleArgs {
    /// The file, which is replaced
    file: PathBuf,
    /// The side that each conflict is settled with
    #[arg(long, value_enum)]
    with: Side,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Side {
    /// Our side: in a merge the branch that is checked out
    Ours,
    /// The other side
    Theirs,
    /// The state that both sides came from
    Base,
    /// As the file has it, after an edit
    AsItIs,
}

/// Why nothing is settled.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Registry(#[from] FileError),
    #[error("a conflict cannot be settled so: {0}; settle it in the window")]
    Edit(#[from] EditError),
    #[error(transparent)]
    Save(#[from] SaveError),
}

pub fn run(args: &SettleArgs, components: &Components) -> ExitCode {
    match settled(&args.file, args.with, components) {
        Ok(0) => print("there are no conflicts\n", SUCCESS),
        Ok(count) => print(&format!("{} settled\n", counted(count, "conflict")), SUCCESS),
        Err(failure) => {
            complain(&format!("error: {failure}\n  file: {}", args.file.display()));
            ExitCode::from(if matches!(failure, Failure::Load(_)) { UNREADABLE } else { FAILURE })
        }
    }
}

/// Settles the conflicts of a file, and returns how many there were.
fn settled(path: &Path, with: Side, components: &Components) -> Result<usize, Failure> {
    let simulation = components.formats.open(path, &LoadOptions::default())?.simulation;
    let count = conflicts(&simulation).len();
    if count > 0 {
        let settlement = match with {
            Side::Ours => Settlement::Ours,
            Side::Theirs => Settlement::Theirs,
            Side::Base => Settlement::Base,
            Side::AsItIs => Settlement::AsItIs,
        };
        let registry = FileArgs::default().registry(components, path)?;
        let edits = settle_all(&simulation, &registry, &settlement)?;
        let settled = Change::new("Settle conflicts", edits).applied(&simulation, &registry)?;
        components.formats.save(path, &settled)?;
    }
    Ok(count)
}
