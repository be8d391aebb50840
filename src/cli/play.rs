//! `simulate play`: shows the dashboard of a file in a window.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::format::LoadOptions;

#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The simulation file
    file: PathBuf,
    /// Removes one model block of each endless nesting without asking
    #[arg(long)]
    skip_invalid_models: bool,
}

pub fn run(args: &PlayArgs) -> ExitCode {
    crate::app::play(args.file.clone(), LoadOptions { skip_invalid_models: args.skip_invalid_models })
}
