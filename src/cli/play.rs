//! `simulate play`: the options of the window that shows only a dashboard.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The simulation file
    pub file: PathBuf,
    /// Removes one model block of each endless nesting without asking
    #[arg(long)]
    pub skip_invalid_models: bool,
}
