//! `simulate test`: whether simulations still give what they gave.
//!
//! | module | what lives there |
//! |---|---|
//! | `expected` | the results that are kept beside a simulation |
//! | `trial` | runs a simulation and compares |
//! | `report` | what came out, for people and for servers |

mod expected;
mod report;
mod trial;

use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use self::trial::Trial;
use super::opened::FileArgs;
use super::{OutputFormat, SUCCESS, UNREADABLE, complain, print};
use crate::engine::Engines;
use crate::format::{self, Formats};

#[derive(Debug, Args)]
pub struct TestArgs {
    /// Simulations; a folder stands for all in it, at any depth, beside which results are kept
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Keeps what the simulations give now as the results to compare with, in NAME.expected.csv beside NAME.simx
    #[arg(long)]
    update: bool,
    /// Which engine runs them; “all”: each one, and all must give the same bits
    #[arg(long, value_name = "NAME", default_value = Engines::DEFAULT)]
    engine: String,
    /// How much a value may be off, as a part of the largest expected value of its signal
    #[arg(long, value_name = "PART", default_value_t = 1e-9)]
    relative: f64,
    /// How much more a value may be off
    #[arg(long, value_name = "VALUE", default_value_t = 1e-12)]
    absolute: f64,
    /// Which signals --update keeps: exits, all, or paths as Plant/Motor#3.Output with commas
    #[arg(long, value_name = "SIGNALS", default_value = "exits")]
    signals: String,
    /// Of how many steps --update keeps one; the last always is [default: so that a thousand are kept]
    #[arg(long, value_name = "N")]
    every: Option<NonZeroU64>,
    /// Also writes the outcome as JUnit XML, which build servers show
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// How to print the outcome
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    files_of: FileArgs,
}

pub fn run(args: &TestArgs) -> ExitCode {
    let mut files = Vec::new();
    for path in &args.files {
        if let Err(error) = gather(path, &mut files) {
            complain(&format!("error: the folder cannot be read: {error}\n  file: {}", path.display()));
            return ExitCode::from(UNREADABLE);
        }
    }
    if files.is_empty() {
        complain("nothing to test: beside no simulation there are results; keep some with --update and a file");
        return ExitCode::from(UNREADABLE);
    }
    let trials: Vec<Trial> = files.iter().map(|file| Trial::new(file, args)).collect();
    let code = trials.iter().map(Trial::code).max().unwrap_or(SUCCESS);
    if let Some(path) = &args.junit
        && let Err(error) = format::replace(path, report::junit(&trials).as_bytes())
    {
        complain(&format!("error: {error}\n  file: {}", path.display()));
        return ExitCode::from(super::FAILURE);
    }
    print(&report::text(&trials, args.format), code)
}

/// A file as it is; of a folder the simulations that have results beside them, by name.
fn gather(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<_> = path.read_dir()?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let formats = Formats::standard();
    for entry in entries {
        let path = entry.path();
        // Links to folders may lead in a ring.
        if entry.file_type()?.is_dir() {
            gather(&path, files)?;
        } else if formats.of_path(&path).is_some() && expected::beside(&path).is_file() {
            files.push(path);
        }
    }
    Ok(())
}
