//! `simulate play`: the dashboard of a file in a window of its own.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The file with the simulation
    file: PathBuf,
}

pub fn run(args: &PlayArgs) -> ExitCode {
    crate::app::play(args.file.clone())
}
