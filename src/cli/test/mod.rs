//! `simulate test`: compares the results of simulations with expected results.
//!
//! | module | contents |
//! |---|---|
//! | `expected` | the expected results beside a simulation |
//! | `trial` | runs a simulation and compares the results |
//! | `report` | the report as text, JSON or JUnit XML |

mod expected;
mod report;
mod trial;

use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

pub use self::expected::beside;
use self::trial::Trial;
use super::interrupt::Interrupt;
use super::opened::FileArgs;
use super::output::{FAILURE, ForceArgs, OutputFormat, SUCCESS, UNREADABLE, complain, print};
use crate::components::Components;
use crate::engine::Engines;
use crate::format::{FileKind, Formats};

#[derive(Debug, Args)]
pub struct TestArgs {
    /// Simulation files; a folder means all simulations in it, at any depth, that have expected results
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Writes the current results as expected results to NAME.expected.csv beside NAME.simx
    #[arg(long)]
    update: bool,
    /// The engine; “all” runs each one, and all must give the same bits
    #[arg(long, value_name = "NAME", default_value = Engines::DEFAULT)]
    engine: String,
    /// The relative tolerance, as a fraction of the largest expected value of a signal
    #[arg(long, value_name = "PART", default_value_t = 1e-9, value_parser = tolerance)]
    relative: f64,
    /// The absolute tolerance, in addition to the relative one
    #[arg(long, value_name = "VALUE", default_value_t = 1e-12, value_parser = tolerance)]
    absolute: f64,
    /// Compares the rows that there are, where expected results end before the run does; otherwise that is a failure
    #[arg(long)]
    partial: bool,
    /// The signals that --update writes: exits, all, or paths such as Plant/Motor#3.Output, separated by commas
    #[arg(long, value_name = "SIGNALS", default_value = "exits")]
    signals: String,
    /// --update writes every N-th step and the last one [default: about 1000 steps]
    #[arg(long, value_name = "N")]
    every: Option<NonZeroU64>,
    /// Also writes a JUnit XML report for build servers
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    files_of: FileArgs,
}

fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|value: &f64| *value >= 0.0 && value.is_finite());
    number.ok_or_else(|| "a tolerance is a number, 0 or more".to_owned())
}

pub fn run(args: &TestArgs, components: &Components) -> ExitCode {
    let mut files = Vec::new();
    for path in &args.files {
        if let Err(error) = gather(path, &components.formats, &mut files) {
            complain(&format!("error: the folder cannot be read: {error}\n  file: {}", path.display()));
            return ExitCode::from(UNREADABLE);
        }
    }
    if files.is_empty() {
        complain("nothing to test: no simulation has expected results; create them with --update and a file");
        return ExitCode::from(UNREADABLE);
    }
    let expected = files.iter().map(|file| expected::beside(file));
    let mut outputs = args.force.outputs(&components.formats).reading(&files).reading(expected);
    let junit = match args.junit.as_deref().map(|path| outputs.admit(path, FileKind::JUnit)).transpose() {
        Ok(junit) => junit,
        Err(error) => {
            complain(&format!("error: {error}"));
            return ExitCode::from(FAILURE);
        }
    };
    let interrupt = Interrupt::listen();
    let trials: Vec<Trial> = files.iter().map(|file| Trial::new(file, args, components, &interrupt)).collect();
    let code = trials.iter().map(Trial::code).max().unwrap_or(SUCCESS);
    if let Some(file) = &junit
        && let Err(error) = file.replace(report::junit(&trials).as_bytes())
    {
        complain(&format!("error: {error}\n  file: {}", file.display()));
        return ExitCode::from(FAILURE);
    }
    print(&report::text(&trials, args.format), code)
}

/// Collects a file, or the simulations of a folder that have expected results, sorted by name.
fn gather(path: &Path, formats: &Formats, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<_> = path.read_dir()?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to folders are not followed, since they may form cycles.
        if entry.file_type()?.is_dir() {
            gather(&path, formats, files)?;
        } else if formats.of_path(&path).is_some() && expected::beside(&path).is_file() {
            files.push(path);
        }
    }
    Ok(())
}
