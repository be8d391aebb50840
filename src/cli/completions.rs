//! `simulate completions`: what a shell needs to complete the program's arguments.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{SUCCESS, print};

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> ExitCode {
    print(&script(args.shell), SUCCESS)
}

/// The script that teaches a shell the program's commands and options.
pub fn script(shell: Shell) -> String {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut super::Args::command(), "simulate", &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
