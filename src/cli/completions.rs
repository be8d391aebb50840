//! `simulate completions`: prints the completion script of a shell.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::output::{SUCCESS, print};

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> ExitCode {
    print(&script(args.shell), SUCCESS)
}

/// Generates the completion script of a shell.
pub fn script(shell: Shell) -> String {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut super::Args::command(), "simulate", &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
