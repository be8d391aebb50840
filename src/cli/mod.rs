//! The command line.
//!
//! | module | command |
//! |---|---|
//! | `run` | `simulate run FILE`: runs a simulation |
//! | `sweep` | `simulate sweep FILE --vary PATH=VALUES`: many runs of one model |
//! | `linearize` | `simulate linearize FILE`: linearizes a simulation at an operating point |
//! | `check` | `simulate check FILE…`: reports errors and warnings with the lines of the file |
//! | `blocks` | `simulate blocks`: lists the block library |
//! | `convert` | `simulate convert IN OUT`: converts between formats |
//! | `completions` | `simulate completions SHELL`: the shell's completion script |
//! | `picture` | `simulate picture FILE --out X.svg`: draws the diagram |
//! | `play` | `simulate play FILE`: shows only the dashboard |
//! | `test` | `simulate test FILE…`: compares results with expected ones |
//! | `opened` | opens a file for a run |
//! | `finite` | finds the first signal that is not finite |
//! | `excerpt` | prints a diagnostic with its line of the file |
//! | `override_option` | `--set PATH=VALUE` |
//! | `assertion_report` | the assertion reports of blocks in a run |
//!
//! Results go to standard output, everything else to standard error. No other layer uses this one.

mod assertion_report;
mod blocks;
mod chain;
mod check;
pub mod completions;
mod convert;
mod excerpt;
mod finite;
mod library_page;
mod linearize;
mod opened;
pub(crate) mod override_option;
#[cfg(feature = "app")]
mod picture;
#[cfg(feature = "app")]
mod play;
pub mod run;
pub mod sweep;
pub mod test;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

pub use blocks::BlocksArgs;
pub use check::CheckArgs;
pub use completions::CompletionsArgs;
pub use convert::ConvertArgs;
pub use linearize::LinearizeArgs;
#[cfg(feature = "app")]
pub use picture::PictureArgs;
#[cfg(feature = "app")]
pub use play::PlayArgs;
pub use run::RunArgs;
pub use sweep::SweepArgs;
pub use test::TestArgs;

/// Draw dynamic systems as block diagrams, run them and watch the curves.
#[derive(Debug, Parser)]
#[command(name = "simulate", version, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The file to open in the window; write ./run for a file with the name of a command
    pub file: Option<PathBuf>,
    /// Opens a new window even if one is open
    #[arg(long)]
    pub new_window: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs a simulation without a window; the exit code is 0 on success, 1 if it cannot run or a step fails, 2 if the
    /// file is unreadable, 3 if a check stopped or paused it
    Run(RunArgs),
    /// Runs a simulation many times with different values, in parallel
    Sweep(SweepArgs),
    /// Linearizes a simulation at an operating point: matrices, poles, zeros, margins, frequency response
    Linearize(LinearizeArgs),
    /// Checks files for errors; the exit code is 0 if all are valid, 1 if one is not, 2 if one is unreadable
    Check(CheckArgs),
    /// Runs simulations and compares their signals with the expected results beside them; the exit code is 0 if all are
    /// as expected, 1 if one is not, 2 if one is unreadable
    Test(TestArgs),
    /// Lists the blocks of the library
    Blocks(BlocksArgs),
    /// Converts a file to the format of another extension
    Convert(ConvertArgs),
    /// Prints the completion script of a shell
    Completions(CompletionsArgs),
    /// Draws a model as .svg, .pdf or .png
    #[cfg(feature = "app")]
    Picture(PictureArgs),
    /// Opens a window with only the dashboard of a file: controls, displays, Run and Stop
    #[cfg(feature = "app")]
    Play(PlayArgs),
}

/// The format of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    #[default]
    Text,
    Json,
}

/// The exit code for success.
pub const SUCCESS: u8 = 0;
/// The exit code for an invalid file or a failed command.
pub const FAILURE: u8 = 1;
/// The exit code if a failed assertion of a block stopped or paused the run.
pub const STOPPED: u8 = 3;
/// The exit code for an unreadable file or invalid arguments.
pub const UNREADABLE: u8 = 2;

impl Command {
    pub fn run(&self) -> ExitCode {
        match self {
            Command::Run(args) => run::run(args),
            Command::Sweep(args) => sweep::run(args),
            Command::Linearize(args) => linearize::run(args),
            Command::Check(args) => check::run(args),
            Command::Test(args) => test::run(args),
            Command::Blocks(args) => blocks::run(args),
            Command::Convert(args) => convert::run(args),
            Command::Completions(args) => completions::run(args),
            #[cfg(feature = "app")]
            Command::Picture(args) => picture::run(args),
            #[cfg(feature = "app")]
            Command::Play(args) => play::run(args),
        }
    }
}

/// Escapes control characters as in JSON, except line breaks and tabs, so that a text cannot control the terminal.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_obeyed = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut harmless = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_obeyed(character) {
            true => harmless.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => harmless.push(character),
        }
    }
    Cow::Owned(harmless)
}

/// Prints a result and returns `code`. A closed pipe (`| head`) is not an error.
fn print(text: &str, code: u8) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(escaped(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("the result cannot be written: {error}"));
            ExitCode::from(FAILURE)
        }
        _ => ExitCode::from(code),
    }
}

/// Formats a result as indented JSON.
fn json(value: &impl serde::Serialize) -> String {
    match serde_json::to_string_pretty(value) {
        Ok(text) => text + "\n",
        // Only maps with keys that are not strings fail; no result has one.
        Err(error) => format!("{{\"error\":\"{error}\"}}\n"),
    }
}

/// Prints a line on standard error, ignoring failures.
fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escaped(text));
}
