//! The command line.
//!
//! | module | command |
//! |---|---|
//! | `run` | `simulate run FILE`: runs a simulation |
//! | `run_files` | the files that `run` writes |
//! | `sensitivity` | the derivatives of signals by options in `run` |
//! | `sweep` | `simulate sweep FILE --vary PATH=VALUES`: many runs of one model |
//! | `linearize` | `simulate linearize FILE`: linearizes a simulation at an operating point |
//! | `design` | `simulate design c2d \| pid \| lqr …`: computes systems, controllers and their coefficients |
//! | `fit` | `simulate fit FILE --data FILE --parameter PATH`: fits parameters to measured curves |
//! | `check` | `simulate check FILE…`: reports errors and warnings with the lines of the file |
//! | `diff` | `simulate diff A B`: lists the changes from one state to another |
//! | `merge` | `simulate merge BASE A B -o OUT`: merges what two people changed |
//! | `settle` | `simulate settle FILE --with SIDE`: settles the conflicts of a merge |
//! | `git_setup` | `simulate git-setup`: lets git compare and merge simulations |
//! | `fmt` | `simulate fmt FILE…`: writes files in canonical form |
//! | `blocks` | `simulate blocks`: lists the block library |
//! | `convert` | `simulate convert IN OUT`: converts between formats |
//! | `export` | `simulate export FILE --to c --out DIR`: writes C code with the same bits |
//! | `plugins` | `simulate plugins`: lists plug-ins, switches them on and off, tests them |
//! | `completions` | `simulate completions SHELL`: the shell's completion script |
//! | `picture` | `simulate picture FILE --out X.svg`: draws the diagram |
//! | `report` | `simulate report FILE --out X.html`: writes a report |
//! | `play` | `simulate play FILE`: shows only the dashboard |
//! | `test` | `simulate test FILE…`: compares results with expected ones |
//! | `worker` | `simulate worker`: computes for another process, or for a pool |
//! | `pool` | the options of all commands that use a pool |
//! | `opened` | opens a file for a run |
//! | `output` | results, messages and exit codes |
//! | `written` | writes a change that a command has computed into its file |
//! | `values` | parsers of option values |
//! | `fmu_page` | the description of an FMU |
//! | `imported` | models of other programs and what became of their blocks |
//! | `finite` | finds the first signal that is not finite |
//! | `interrupt` | Ctrl+C and the signals that end a command |
//! | `excerpt` | prints a diagnostic with its line of the file |
//! | `assertion_report` | the assertion reports of blocks in a run |
//!
//! Results go to standard output, everything else to standard error. No other layer uses this one.

mod assertion_report;
mod blocks;
mod chain;
mod check;
pub mod completions;
mod convert;
mod design;
pub mod diff;
mod excerpt;
mod explain;
mod export;
mod finite;
pub mod fit;
mod fmt;
mod fmu_page;
mod git_setup;
mod imported;
mod interrupt;
mod library_page;
mod linearize;
mod merge;
mod opened;
mod output;
#[cfg(feature = "app")]
mod picture;
#[cfg(feature = "app")]
mod play;
mod plugins;
mod pool;
mod remote;
#[cfg(feature = "app")]
mod report;
pub mod run;
mod run_files;
mod sensitivity;
mod serve;
mod settle;
mod study;
pub mod sweep;
pub mod test;
mod values;
mod worker;
mod written;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::components::Components;

pub use blocks::BlocksArgs;
pub use check::CheckArgs;
pub use completions::CompletionsArgs;
pub use convert::ConvertArgs;
pub use design::DesignArgs;
pub use diff::{DiffArgs, PageRequest};
pub use explain::ExplainArgs;
pub use export::ExportArgs;
pub use fit::FitArgs;
pub use fmt::FmtArgs;
pub use git_setup::GitSetupArgs;
pub use linearize::LinearizeArgs;
pub use merge::MergeArgs;
pub use output::{FAILURE, OutputFormat, STOPPED, SUCCESS, UNREADABLE};

#[cfg(feature = "app")]
pub use picture::{PictureArgs, PictureRequest};
#[cfg(feature = "app")]
pub use play::PlayArgs;
pub use plugins::PluginsArgs;
#[cfg(feature = "app")]
pub use report::{ReportArgs, ReportRequest};
pub use run::RunArgs;
pub use serve::{ServeArgs, run as serve};
pub use settle::SettleArgs;
pub use study::{FalsifyArgs, OptimizeArgs};
pub use sweep::SweepArgs;
pub use test::TestArgs;
pub use worker::WorkerArgs;

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
    #[command(flatten)]
    Batch(Box<BatchCommand>),
    /// Lists the changes from one state of a simulation to another, by their meaning; the exit code is 0 if there are none,
    /// 1 if there are some, 2 if a file is unreadable
    Diff(DiffArgs),
    /// Answers calls of scripts in JSON-RPC on standard input and output: edits, checks, runs, pictures
    Serve(ServeArgs),
    /// The same in the Model Context Protocol, for assistants
    Mcp(ServeArgs),
    /// Draws a model as .svg, .pdf or .png
    #[cfg(feature = "app")]
    Picture(PictureArgs),
    /// Opens a window with only the dashboard of a file: controls, displays, Run and Stop
    #[cfg(feature = "app")]
    Play(PlayArgs),
    /// Writes a report: all diagrams, parameters, the curves of a run, and where they come from
    #[cfg(feature = "app")]
    Report(ReportArgs),
}

/// The commands that need no part of the window.
#[derive(Debug, Subcommand)]
pub enum BatchCommand {
    /// Runs a simulation without a window; the exit code is 0 on success, 1 if it cannot run or a step fails, 2 if the
    /// file is unreadable, 3 if a check stopped or paused it, 128 and the number of a signal that stopped it
    Run(RunArgs),
    /// Runs a simulation many times with different values, in parallel
    Sweep(SweepArgs),
    /// Linearizes a simulation at an operating point: matrices, poles, zeros, margins, frequency response
    Linearize(LinearizeArgs),
    /// Computes systems and their coefficients: continuous ones made discrete
    Design(DesignArgs),
    /// Fits parameters of a simulation to measured curves, with confidence intervals; the exit code is 0 if the fit has
    /// converged, 1 if not, 2 if a file is unreadable, 128 and the number of a signal that stopped it
    Fit(Box<FitArgs>),
    /// Chooses parameters so that runs meet all requirements and a figure is best; the exit code is 0 if all are met, 1 if
    /// not, 2 if a file is unreadable, 128 and the number of a signal that stopped it
    Optimize(Box<OptimizeArgs>),
    /// Searches inputs and parameters with which a check or another requirement is violated, and writes a test of them; the
    /// exit code is 0 if none was found, 1 if one was, 2 if a file is unreadable, 128 and the number of a signal that
    /// stopped it
    Falsify(Box<FalsifyArgs>),
    /// Checks files for errors, and prints the description of an FMU; the exit code is 0 if all are valid, 1 if one is not, 2 if one is unreadable. simulate
    /// explain CODE says more about a code such as unknown-block
    Check(CheckArgs),
    /// Runs simulations and compares their signals with the expected results beside them; the exit code is 0 if all are
    /// as expected, 1 if one is not, 2 if one is unreadable
    Test(TestArgs),
    /// Merges what two people have made of one state of a simulation, by its meaning; the exit code is 0 if all is merged,
    /// 1 if the result has conflicts, 2 if a file is unreadable
    Merge(MergeArgs),
    /// Settles all conflicts of a merge with one side, and replaces the file
    Settle(SettleArgs),
    /// Lets git compare and merge simulations by their meaning: writes .gitattributes and the configuration
    GitSetup(GitSetupArgs),
    /// Writes files in canonical form, in which equal simulations have equal bytes
    Fmt(FmtArgs),
    /// Explains a code of a diagnostic, or lists all codes
    Explain(ExplainArgs),
    /// Lists the blocks of the library
    Blocks(BlocksArgs),
    /// Converts a file to the format of another extension
    Convert(ConvertArgs),
    /// Writes a simulation as C code that computes the same results to the last bit, or as an FMU of this code
    Export(ExportArgs),
    /// Lists plug-ins (blocks in WebAssembly), switches them on and off, and tests them
    Plugins(PluginsArgs),
    /// Prints the completion script of a shell
    Completions(CompletionsArgs),
    /// Computes runs of sweeps for others, as a worker of a pool, until it is stopped; without a pool it is a child of
    /// another process of this program, for the code of FMUs
    Worker(WorkerArgs),
}

impl BatchCommand {
    pub fn run(&self, components: &Components) -> ExitCode {
        match self {
            BatchCommand::Run(args) => run::run(args, components),
            BatchCommand::Sweep(args) => sweep::run(args, components),
            BatchCommand::Linearize(args) => linearize::run(args, components),
            BatchCommand::Design(args) => design::run(args, components),
            BatchCommand::Fit(args) => fit::run(args, components),
            BatchCommand::Optimize(args) => study::optimize(args, components),
            BatchCommand::Falsify(args) => study::falsify(args, components),
            BatchCommand::Check(args) => check::run(args, components),
            BatchCommand::Test(args) => test::run(args, components),
            BatchCommand::Merge(args) => merge::run(args, components),
            BatchCommand::Settle(args) => settle::run(args, components),
            BatchCommand::GitSetup(args) => git_setup::run(args),
            BatchCommand::Fmt(args) => fmt::run(args, components),
            BatchCommand::Explain(args) => explain::run(args),
            BatchCommand::Blocks(args) => blocks::run(args, components),
            BatchCommand::Convert(args) => convert::run(args, components),
            BatchCommand::Export(args) => export::run(args, components),
            BatchCommand::Plugins(args) => plugins::run(args, components),
            BatchCommand::Completions(args) => completions::run(args),
            BatchCommand::Worker(args) => worker::run(args, components),
        }
    }
}
