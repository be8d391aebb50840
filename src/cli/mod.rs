//! The commands that need no window.
//!
//! | module | command |
//! |---|---|
//! | `run` | `simulate run FILE`: runs a simulation |
//! | `sweep` | `simulate sweep FILE --vary PATH=VALUES`: many runs of one model |
//! | `linearize` | `simulate linearize FILE`: as a linear system about a point |
//! | `check` | `simulate check FILE…`: says what is wrong, with the line of the file |
//! | `blocks` | `simulate blocks`: the library |
//! | `convert` | `simulate convert IN OUT`: from one format to another |
//! | `completions` | `simulate completions SHELL`: for the shell's own completion |
//! | `picture` | `simulate picture FILE --out X.svg`: the diagram as a picture |
//! | `play` | `simulate play FILE`: only its dashboard, to be used |
//! | `test` | `simulate test FILE…`: whether simulations still give what they gave |
//! | `opened` | a file that is read and made ready to run |
//! | `finite` | the first signal of a run that is not finite |
//! | `excerpt` | a diagnostic with the line it is about |
//! | `override_option` | `--set PATH=VALUE` |
//! | `told` | what blocks had to tell in a run |
//!
//! Results go to standard output, everything else to standard error. Nothing else in the program knows this layer.

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
mod told;

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
    /// The file to open in the window; one that is called like a command is written ./run
    pub file: Option<PathBuf>,
    /// Opens a window of its own where one is open already
    #[arg(long)]
    pub new_window: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs a simulation without a window; ends with 0 where all went well, 1 where it cannot run or a step fails, 2
    /// where the file is unreadable, 3 where a check stopped or paused it
    Run(RunArgs),
    /// Runs a simulation many times with different values, side by side
    Sweep(SweepArgs),
    /// Takes a simulation as a linear system about a point: matrices, poles, zeros, margins, response in frequency
    Linearize(LinearizeArgs),
    /// Says what is wrong with files; ends with 0 where all are valid, 1 where one is not, 2 where one is unreadable
    Check(CheckArgs),
    /// Runs simulations and compares their signals with results that are kept beside them; ends with 0 where all are as
    /// expected, 1 where one is not, 2 where one is unreadable
    Test(TestArgs),
    /// Lists the blocks of the library
    Blocks(BlocksArgs),
    /// Writes a file in the format of another extension
    Convert(ConvertArgs),
    /// Prints the script that lets a shell complete the arguments
    Completions(CompletionsArgs),
    /// Draws a model as .svg, .pdf or .png
    #[cfg(feature = "app")]
    Picture(PictureArgs),
    /// Opens a window with only the dashboard of a file: its controls and instruments, run and stop
    #[cfg(feature = "app")]
    Play(PlayArgs),
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    #[default]
    Text,
    Json,
}

/// All went well and, where that is the question, the file is valid.
pub const SUCCESS: u8 = 0;
/// The file can be read, but is invalid, or what was asked for failed.
pub const FAILURE: u8 = 1;
/// A block stopped or paused the run: what it looks after is not as it should be.
pub const STOPPED: u8 = 3;
/// The file cannot be read, or the command cannot be understood.
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

/// A text whose control characters a terminal would obey, written as JSON writes them; lines and tabs stay.
fn harmless(text: &str) -> Cow<'_, str> {
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

/// Prints a result and returns `code`. A reader that has seen enough (`| head`) is no mistake.
fn print(text: &str, code: u8) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(harmless(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("the result cannot be written: {error}"));
            ExitCode::from(FAILURE)
        }
        _ => ExitCode::from(code),
    }
}

/// One object of a result, in as many lines as a person likes to read.
fn json(value: &impl serde::Serialize) -> String {
    match serde_json::to_string_pretty(value) {
        Ok(text) => text + "\n",
        // Only maps with keys that are no texts fail; no result has one.
        Err(error) => format!("{{\"error\":\"{error}\"}}\n"),
    }
}

/// A line on standard error; if even that cannot be written, there is nobody to tell.
fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", harmless(text));
}
