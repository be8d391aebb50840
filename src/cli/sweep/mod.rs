//! `simulate sweep`: runs a model many times with different values.
//!
//! | module | what lives there |
//! |---|---|
//! | `journal` | finished runs, for resuming an interrupted sweep |

mod journal;

use std::io::{self, IsTerminal};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use self::journal::Journal;
use super::opened::{FileArgs, OpenError, OpenOptions, Opened, engine_of, error_text};
use super::output::{FAILURE, OriginArgs, OutputFormat, SUCCESS, complain, print};
use crate::block::element_names;
use crate::components::Components;
use crate::engine::{Curve, Engines, Points, Runs, Sweep, SweepFlow, Vary, VaryError};
use crate::results::{self as table, Numbers, Provenance, Table, TableError, TableOptions};

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The simulation file
    file: PathBuf,
    /// A parameter to vary; may be repeated, then every combination is run. PATH as for `run --set`; VALUES are
    /// from:to:count, from:to:count:log, a,b,c, or random for each run: uniform(low,high), normal(mean,deviation)
    #[arg(long, value_name = "PATH=VALUES", required = true)]
    vary: Vec<String>,
    /// The number of runs for each combination, for random values
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u64,
    /// The seed of random values
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Sets an option for all runs, as for `run`
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The number of steps of each run [default: from the file]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// The step length in seconds [default: from the file]
    #[arg(long, value_name = "D")]
    delta: Option<f64>,
    /// The engine
    #[arg(long, value_name = "NAME", default_value = Engines::DEFAULT)]
    engine: String,
    /// The number of parallel runs [default: the number of processors]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// The signals to keep: exits, all, or paths such as Plant/Motor#3.Output, separated by commas
    #[arg(long, value_name = "SIGNALS", default_value = "exits")]
    signals: String,
    /// Keeps every N-th step and the last one [default: only the last one]
    #[arg(long, value_name = "N")]
    every: Option<NonZeroU64>,
    /// Writes the results, one row for each kept step of each run (.csv, .parquet, .npz or .mat); an interrupted sweep resumes from
    /// the .part file beside it [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The output format of the summary
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Hides progress and summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    files: FileArgs,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error("--vary {0}")]
    Vary(#[from] VaryError),
    #[error("{0} are too many runs")]
    TooMany(String),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("{0} rows for each run exceed the limit of {MAX_KEPT}: use a larger --every or fewer steps")]
    TooManyRows(u64),
    #[error("0 steps: set the number of steps with --steps")]
    NoSteps,
    #[error("the journal {0} cannot be written: {1}")]
    Journal(String, io::Error),
}

/// The maximum number of rows of a run, which are kept in memory.
const MAX_KEPT: u64 = 10_000_000;

pub fn run(args: &SweepArgs, components: &Components) -> ExitCode {
    match sweep(args, components) {
        Ok((text, code)) => print(&text, code),
        Err(Failure::File(error)) => error.complain(&args.file),
        Err(error) => {
            complain(&error_text(&error, &args.file));
            ExitCode::from(FAILURE)
        }
    }
}

fn sweep(args: &SweepArgs, components: &Components) -> Result<(String, u8), Failure> {
    let engine = engine_of(&components.engines, &args.engine)?;
    let varied = args.vary.iter().map(|text| Vary::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let runs = Runs { varied, draws: args.draws.max(1), seed: args.seed };
    let count = runs.count().ok_or_else(|| Failure::TooMany(product(&runs)))?;
    // Blocks may read files, but not write them: the runs would overwrite each other.
    let given = OpenOptions { set: &args.set, delta: args.delta, files: Some(&args.files) };
    let opened = Opened::open(components, &args.file, given)?;
    let program = Arc::new(opened.compile()?);
    let steps = args.steps.unwrap_or(program.steps);
    if steps == 0 {
        return Err(Failure::NoSteps);
    }
    let kept = args.every.map_or(1, |every| steps / every.get());
    if kept > MAX_KEPT {
        return Err(Failure::TooManyRows(kept));
    }
    let signals = opened.signals(&program, &args.signals)?;
    let sweep = Sweep {
        engine,
        steps,
        watch: signals.iter().map(|signal| signal.key.clone()).collect(),
        every: args.every,
        workers: args.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
    };
    let origin = Provenance {
        steps,
        delta: program.delta,
        set: args.set.clone(),
        vary: args.vary.clone(),
        ..Provenance::of(opened.document.simulation(), Some(&args.file), &args.engine)
    };
    let points = Points::new(&runs, opened.document, opened.sets, &program).map_err(OpenError::from)?;
    let ready = |run: u64| points.ready(&runs.values(run));
    let bar = progress(args, count);
    let mut results = Results::begin(args, &runs, &sweep, count)?;
    let waiting: Vec<u64> = (0..count).filter(|run| !results.done.contains(run)).collect();
    bar.set_position(count - waiting.len() as u64);
    let mut written = Ok(());
    sweep.run(&waiting, &ready, |curve| {
        bar.inc(1);
        written = results.add(curve);
        if written.is_ok() { SweepFlow::Continue } else { SweepFlow::Stop }
    });
    bar.finish_and_clear();
    written?;
    let names: Vec<String> = signals.iter().flat_map(|signal| element_names(&signal.name, &signal.of)).collect();
    results.finish(args, &runs, (program.delta, &origin), &names)
}

fn product(runs: &Runs) -> String {
    let counts = runs.varied.iter().map(Vary::count).chain([runs.draws]).filter(|count| *count > 1);
    counts.map(|count| count.to_string()).collect::<Vec<_>>().join(" × ")
}

fn progress(args: &SweepArgs, count: u64) -> ProgressBar {
    if args.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count);
    match ProgressStyle::with_template("{bar:40} {human_pos} of {human_len} runs, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The results so far: in the journal beside the result file, or in memory.
struct Results {
    journal: Option<Journal>,
    curves: Vec<Curve>,
    done: std::collections::HashSet<u64>,
    count: u64,
}

impl Results {
    fn begin(args: &SweepArgs, runs: &Runs, sweep: &Sweep, count: u64) -> Result<Results, Failure> {
        let journal = match &args.out {
            None => None,
            Some(out) => {
                // Errors in creating the table are reported before the runs.
                drop(table::create(out, &["run"], &[])?);
                let path = Journal::beside(out);
                let journal = Journal::open(&path, fingerprint(args, runs, sweep));
                Some(journal.map_err(|error| Failure::Journal(path.display().to_string(), error))?)
            }
        };
        let done = journal.as_ref().map(Journal::done).unwrap_or_default();
        if !done.is_empty() && !args.quiet {
            complain(&format!("resuming: {} of {count} runs are finished", done.len()));
        }
        Ok(Results { journal, curves: Vec::new(), done, count })
    }

    fn add(&mut self, curve: Curve) -> Result<(), Failure> {
        match &mut self.journal {
            None => self.curves.push(curve),
            Some(journal) => journal.add(&curve).map_err(|error| Failure::Journal(journal.name(), error))?,
        }
        Ok(())
    }

    fn finish(
        mut self,
        args: &SweepArgs,
        runs: &Runs,
        (delta, origin): (f64, &Provenance),
        columns: &[String],
    ) -> Result<(String, u8), Failure> {
        let names: Vec<String> = runs.varied.iter().map(|vary| vary.path.clone()).collect();
        let numbers: Vec<String> = names.iter().cloned().chain(["time".to_owned()]).chain(columns.to_vec()).collect();
        let mut failures: Vec<(u64, String)> = Vec::new();
        let mut printed = String::new();
        match (self.journal.take(), &args.out) {
            (Some(mut journal), Some(out)) => {
                let unwritable = |error| Failure::Table(TableError::Unwritable(out.display().to_string(), error));
                let options = TableOptions { numbers: Numbers::Decimal, origin: args.origin.of(out, origin) };
                let mut table = table::create_as(out, &["run", "step"], &numbers, options)?;
                let each = journal.each(|mut curve| {
                    failures.extend(curve.failure.take().map(|failure| (curve.run, failure)));
                    rows(&mut *table, runs, delta, &curve)
                });
                each.and_then(|()| table.finish()).map_err(unwritable)?;
                journal.remove().map_err(unwritable)?;
            }
            _ => {
                self.curves.sort_by_key(|curve| curve.run);
                let mut text = table::Text::begin(&["run", "step"], &numbers, Numbers::Decimal);
                for mut curve in self.curves {
                    failures.extend(curve.failure.take().map(|failure| (curve.run, failure)));
                    // Writing to memory cannot fail.
                    let _ = rows(&mut text, runs, delta, &curve);
                }
                printed = text.text();
            }
        }
        if !args.quiet {
            for (run, failure) in failures.iter().take(MAX_PRINTED) {
                complain(&format!("run {run} {}: {failure}", at(runs, *run)));
            }
            if failures.len() > MAX_PRINTED {
                complain(&format!("{} further runs failed", failures.len() - MAX_PRINTED));
            }
        }
        if args.format == OutputFormat::Json {
            let (failed, out) = (failures.len(), args.out.as_deref());
            let summary = Summary { runs: self.count, failed, out, provenance: origin };
            printed = super::output::json(&summary);
        } else if args.out.is_some() && !args.quiet {
            printed = format!("{} runs, {} failed\n", self.count, failures.len());
        }
        Ok((printed, if failures.is_empty() { SUCCESS } else { FAILURE }))
    }
}

/// The maximum number of failed runs to list.
const MAX_PRINTED: usize = 20;

#[derive(Serialize)]
struct Summary<'a> {
    runs: u64,
    failed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<&'a Path>,
    provenance: &'a Provenance,
}

/// Formats the values of a run: `(Gain=2, f0=3)`.
fn at(runs: &Runs, run: u64) -> String {
    let values = runs.values(run);
    let pairs: Vec<String> =
        runs.varied.iter().zip(values).map(|(vary, value)| format!("{}={value}", vary.path)).collect();
    format!("({})", pairs.join(", "))
}

fn rows(table: &mut dyn Table, runs: &Runs, delta: f64, curve: &Curve) -> io::Result<()> {
    let values = runs.values(curve.run);
    let mut numbers = Vec::new();
    for (row, step) in curve.steps.iter().enumerate() {
        numbers.clear();
        numbers.extend_from_slice(&values);
        numbers.push(*step as f64 * delta);
        for values in &curve.values {
            let width = values.len() / curve.steps.len();
            numbers.extend_from_slice(values.get(row * width..(row + 1) * width).unwrap_or_default());
        }
        table.row(&[curve.run as i64, *step as i64], &numbers)?;
    }
    Ok(())
}

/// Computes the fingerprint of a sweep from the file's bytes and everything that affects a run.
fn fingerprint(args: &SweepArgs, runs: &Runs, sweep: &Sweep) -> u64 {
    let file = crate::format::read_bounded(&args.file, 1 << 30).unwrap_or_default();
    let what = format!(
        "{}\n{runs:?}\n{:?}\n{} {:?} {:?} {:?}",
        env!("CARGO_PKG_VERSION"),
        args.set,
        sweep.steps,
        sweep.every,
        args.delta,
        args.signals
    );
    u64::from(crc32fast::hash(&file)) << 32 | u64::from(crc32fast::hash(what.as_bytes()))
}
