//! `simulate serve` and `simulate mcp`: answer the calls of scripts and assistants on standard input and output.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::output::{FAILURE, SUCCESS, UNREADABLE, complain};
use crate::api::Opener;
use crate::components::Components;
use crate::rpc::{Artist, FolderHost, Protocol, Session, serve};

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The folder whose simulations may be read and written; nothing outside it is accessible
    #[arg(default_value = ".", value_name = "FOLDER")]
    folder: PathBuf,
    /// Acts on the simulation that the window shows, whose user has switched on “Let programs drive this window”
    #[arg(long, conflicts_with_all = ["folder", "allow_read"])]
    pub attach: bool,
    /// Allows blocks to read files in this folder too
    #[arg(long, value_name = "DIR")]
    allow_read: Vec<PathBuf>,
}

/// Answers until standard input ends, with functions that draw; none in a program without a window.
pub fn run(args: &ServeArgs, components: &Components, protocol: Protocol, artist: Option<Artist>) -> ExitCode {
    let opener = args.allow_read.iter().fold(Opener::new(components.clone()), Opener::allow_read);
    let host = match FolderHost::new(&args.folder, opener) {
        Ok(host) => host,
        Err(error) => {
            complain(&format!("error: the folder cannot be opened: {error}: {}", args.folder.display()));
            return ExitCode::from(UNREADABLE);
        }
    };
    let session = Session::new(Box::new(host), components.clone(), artist);
    match serve(io::stdin().lock(), io::stdout(), protocol, session) {
        Ok(()) => ExitCode::from(SUCCESS),
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(FAILURE)
        }
    }
}
