//! `simulate fmt`: writes files in their canonical form, so that equal simulations have equal bytes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::output::{FAILURE, SUCCESS, UNREADABLE, complain, print};
use crate::components::Components;
use crate::format::{Formats, LoadError, LoadOptions, Outputs, Overwrite, SaveError};

#[derive(Debug, Args)]
pub struct FmtArgs {
    /// The files to rewrite
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only lists the files that are not in canonical form, and ends with code 1 if there are some
    #[arg(long)]
    check: bool,
}

/// Why a file stays as it is.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the file cannot be read: {0}")]
    Read(std::io::Error),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Save(#[from] SaveError),
}

pub fn run(args: &FmtArgs, components: &Components) -> ExitCode {
    let (mut text, mut code) = (String::new(), SUCCESS);
    for path in &args.files {
        match formatted(path, args.check, &components.formats) {
            Ok(true) => {}
            Ok(false) => {
                let what = if args.check { "not in canonical form" } else { "formatted" };
                text.push_str(&format!("{}: {what}\n", path.display()));
                code = code.max(if args.check { FAILURE } else { SUCCESS });
            }
            Err(failure) => {
                complain(&format!("error: {failure}\n  file: {}", path.display()));
                code = UNREADABLE;
            }
        }
    }
    print(&text, code)
}

/// Writes a file in canonical form, unless it is only checked. Returns whether it was so before.
fn formatted(path: &Path, is_check: bool, formats: &Formats) -> Result<bool, Failure> {
    let simulation = formats.open(path, &LoadOptions::default())?.simulation;
    let bytes = formats.bytes_of(path, &simulation)?;
    let is_canonical = std::fs::read(path).map_err(Failure::Read)? == bytes;
    if !is_canonical && !is_check {
        let mut outputs = Outputs::new(formats).overwriting(Overwrite::AnyKind);
        let written = outputs.admit_any(path).map_err(std::io::Error::from).and_then(|file| file.replace(&bytes));
        written.map_err(SaveError::from)?;
    }
    Ok(is_canonical)
}
