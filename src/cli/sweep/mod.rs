//! `simulate sweep`: runs a model many times with different values.
//!
//! | module | contents |
//! |---|---|
//! | `indices` | the effects of parameters and their shares of the variance |
//! | `results` | the results of a sweep, wherever its runs are computed |
//! | `pool` | sweeps on the workers of a pool |

mod indices;
#[cfg(feature = "pool")]
mod pool;
#[cfg(not(feature = "pool"))]
#[path = "no_pool.rs"]
mod pool;
mod results;

use std::io::{self, IsTerminal};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use self::results::{Identity, Results, Setup};
use super::interrupt::Interrupt;
use super::opened::{FileArgs, OpenError, OpenOptions, Opened, engine_of, error_text};
use super::output::{
    FAILURE, ForceArgs, MarksArgs, MarksError, OriginArgs, OutputFormat, TableOutputError, UNREADABLE, admit_table,
    complain, counted, print,
};
use super::pool::PoolArgs;
use crate::block::element_names;
use crate::components::Components;
use crate::engine::{
    DesignError, Engines, OverrideError, Points, Program, Runs, SelectedSignal, Sweep, SweepFlow, Vary, VaryError,
};
use crate::format::{FileKind, OutputFile, Outputs};
use crate::pool::{IdentityDifference, SweepJournal};
use crate::results::{Provenance, TableError};
use crate::sampling::SampleDesign;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

#[derive(Debug, Args)]
#[cfg_attr(not(feature = "pool"), allow(dead_code, reason = "only pools need all of it"))]
pub struct SweepArgs {
    /// The simulation file
    #[arg(required_unless_present_any = ["attach", "list", "cancel"])]
    file: Option<PathBuf>,
    /// A parameter to vary; may be repeated, then every combination is run. PATH as for `run --set`; VALUES are
    /// from:to:count, from:to:count:log, a,b,c, or random for each run: uniform(low,high), loguniform(low,high),
    /// normal(mean,deviation)
    #[arg(long, value_name = "PATH=VALUES", required_unless_present_any = ["attach", "list", "cancel"])]
    vary: Vec<String>,
    /// The number of runs for each combination, for random values
    #[arg(long, visible_alias = "samples", value_name = "N", default_value_t = 1)]
    draws: u64,
    /// The seed of random values
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How the random values of --draws N runs are chosen
    #[arg(long, value_enum, value_name = "DESIGN", default_value_t)]
    design: DesignArg,
    /// Runs R trajectories in which one random parameter changes after the other, and prints the effect of each (Morris):
    /// µ*, the mean of its absolute values with a 95 % interval, µ and σ. R·(parameters + 1) runs
    #[arg(long, value_name = "R", conflicts_with_all = ["draws", "design", "sobol_indices"])]
    morris: Option<u64>,
    /// Prints the share of each random parameter in the variance of the results, alone (S1) and with all others (ST), with
    /// 95 % intervals (Sobol, Saltelli). N·(parameters + 2) runs
    #[arg(long, value_name = "N", conflicts_with_all = ["draws", "design"])]
    sobol_indices: Option<u64>,
    /// Writes the effects of --morris or the shares of --sobol-indices (.csv)
    #[arg(long, value_name = "FILE")]
    indices: Option<PathBuf>,
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
    #[command(flatten)]
    marks: MarksArgs,
    /// Starts again although the .part file has finished runs of another sweep, which are kept in another file beside it
    #[arg(long, requires = "out")]
    restart: bool,
    /// Writes the failed runs with their values and what failed (.csv)
    #[arg(long, value_name = "FILE")]
    failures: Option<PathBuf>,
    /// The output format of the summary
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Hides progress and summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    pool: PoolArgs,
    /// Collects the results of a sweep that the pool has: it continues there when its command is closed
    #[arg(long, value_name = "ID", requires = "pool", conflicts_with_all = ["file", "vary", "list", "cancel"])]
    attach: Option<String>,
    /// Lists the sweeps and workers of the pool
    #[arg(long, requires = "pool", conflicts_with_all = ["file", "vary", "cancel"])]
    list: bool,
    /// Removes a sweep from the pool
    #[arg(long, value_name = "ID", requires = "pool", conflicts_with_all = ["file", "vary"])]
    cancel: Option<String>,
    /// Hands the sweep to the pool and ends; --attach collects its results
    #[arg(long, requires = "pool", requires = "out")]
    detach: bool,
    /// The longest time of a run on a pool, in seconds; a longer one is a failed run
    #[arg(long, value_name = "S", default_value_t = 3600.0, requires = "pool")]
    run_limit: f64,
}

/// How random values are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DesignArg {
    /// Independently
    #[default]
    Random,
    /// A Latin hypercube: each of N equal parts of each distribution has one value
    Lhs,
    /// Sobol's sequence, scrambled; best with a power of 2
    Sobol,
    /// Halton's sequence, scrambled
    Halton,
}

impl SweepArgs {
    /// Returns the runs of these arguments.
    fn runs(&self) -> Result<Runs, Failure> {
        let varied = self.vary.iter().map(|text| Vary::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let (design, draws) = match (self.morris, self.sobol_indices, self.design) {
            (Some(trajectories), ..) => (SampleDesign::Morris, trajectories),
            (_, Some(samples), _) => (SampleDesign::SobolIndices, samples),
            (.., DesignArg::Random) => (SampleDesign::Random, self.draws),
            (.., DesignArg::Lhs) => (SampleDesign::LatinHypercube, self.draws),
            (.., DesignArg::Sobol) => (SampleDesign::Sobol, self.draws),
            (.., DesignArg::Halton) => (SampleDesign::Halton, self.draws),
        };
        let runs = Runs { varied, draws: draws.max(1), seed: self.seed, design };
        let option = if design.has_indices() { "--" } else { "--design " };
        runs.check().map_err(|error| Failure::Design(option, design.name(), error))?;
        Ok(runs)
    }
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error("--vary {0}")]
    Vary(#[from] VaryError),
    /// The option, the name of the design, what does not fit.
    #[error("{0}{1}: {2}")]
    Design(&'static str, &'static str, DesignError),
    #[error("--indices needs --morris or --sobol-indices")]
    NoIndices,
    #[error("{0} are too many runs")]
    TooMany(String),
    #[error(transparent)]
    Output(#[from] TableOutputError),
    #[error(transparent)]
    Marks(#[from] MarksError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("{0} rows for each run exceed the limit of {MAX_KEPT}: use a larger --every or fewer steps")]
    TooManyRows(u64),
    #[error("0 steps: set the number of steps with --steps")]
    NoSteps,
    #[error("the journal {0} cannot be written: {1}")]
    Journal(String, io::Error),
    #[error("{}", other_sweep(.path, *.done, .differences))]
    OtherSweep { path: PathBuf, done: Option<u64>, differences: Vec<IdentityDifference> },
    #[error(transparent)]
    Pool(#[from] pool::Failure),
}

/// The maximum number of rows of a run, which are kept in memory.
const MAX_KEPT: u64 = 10_000_000;

pub fn run(args: &SweepArgs, components: &Components) -> ExitCode {
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    let swept = if args.pool.pool.is_some() { pool::run(args, components) } else { sweep(args, file, components) };
    match swept {
        Ok((text, code)) => print(&text, code),
        Err(Failure::File(error)) => error.complain(file),
        Err(Failure::Marks(error)) => {
            complain(&format!("error: {error}"));
            ExitCode::from(UNREADABLE)
        }
        Err(error) if args.file.is_none() => {
            complain(&format!("error: {error}"));
            ExitCode::from(FAILURE)
        }
        Err(error) => {
            complain(&error_text(&error, file));
            ExitCode::from(FAILURE)
        }
    }
}

/// A sweep of this command line, ready to run anywhere.
#[cfg_attr(not(feature = "pool"), allow(dead_code, reason = "only pools need all of it"))]
struct Ready<'a> {
    opened: Opened<'a>,
    program: Arc<Program>,
    signals: Vec<SelectedSignal>,
    /// The number of steps of each run.
    steps: u64,
    /// The content of the file.
    bytes: Vec<u8>,
    setup: Setup,
}

impl<'a> Ready<'a> {
    fn new(args: &SweepArgs, file: &'a Path, components: &Components) -> Result<Ready<'a>, Failure> {
        let runs = args.runs()?;
        let count = runs.count().ok_or_else(|| Failure::TooMany(product(&runs)))?;
        // Blocks may read files, but not write them: the runs would overwrite each other.
        let given = OpenOptions { set: &args.set, delta: args.delta, files: Some(&args.files) };
        let opened = Opened::open(components, file, given)?;
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
        let bytes = crate::format::read_bounded(file, 1 << 30).unwrap_or_default();
        let identity = Identity {
            file: &bytes,
            set: &args.set,
            delta: args.delta,
            signals: &args.signals,
            steps,
            every: args.every,
        };
        let outputs = opened.outputs(args.force, &components.formats);
        let SweepFiles { out, failures, indices } = SweepFiles::admitted(args.out.as_deref(), args, &runs, outputs)?;
        let setup = Setup {
            count,
            delta: program.delta,
            columns: signals.iter().flat_map(|signal| element_names(&signal.name, &signal.of)).collect(),
            identity: identity.of(&runs, &args.vary),
            is_restarted: args.restart,
            keeps_steps: args.every.is_some(),
            out,
            format: args.format,
            is_quiet: args.quiet,
            origin: Provenance {
                steps,
                delta: program.delta,
                set: args.set.clone(),
                vary: args.vary.clone(),
                design: runs.design_text(),
                removed: opened.removed().to_vec(),
                ..Provenance::of(opened.simulation(), Some(file), &args.engine)
            },
            says_origin: args.origin.clone(),
            marks: args.marks.of(args.out.as_deref())?,
            failures,
            indices,
            runs,
        };
        Ok(Ready { opened, program, signals, steps, bytes, setup })
    }
}

/// The files that a sweep may write.
struct SweepFiles {
    out: Option<OutputFile>,
    failures: Option<OutputFile>,
    indices: Option<OutputFile>,
}

impl SweepFiles {
    fn admitted(out: Option<&Path>, args: &SweepArgs, runs: &Runs, outputs: Outputs) -> Result<SweepFiles, Failure> {
        if args.indices.is_some() && !runs.design.has_indices() {
            return Err(Failure::NoIndices);
        }
        let mut outputs = outputs.reading(args.pool.files());
        let out = out.map(|path| {
            outputs.admit_any(&SweepJournal::beside(path))?;
            admit_table(&mut outputs, path)
        });
        let out = out.transpose()?;
        let mut csv = |path: &Option<PathBuf>| {
            let file = path.as_deref().map(|path| outputs.admit(path, FileKind::Csv));
            file.transpose().map_err(TableOutputError::from)
        };
        Ok(SweepFiles { out, failures: csv(&args.failures)?, indices: csv(&args.indices)? })
    }
}

fn sweep(args: &SweepArgs, file: &Path, components: &Components) -> Result<(String, u8), Failure> {
    let engine = engine_of(&components.engines, &args.engine)?;
    let Ready { opened, program, signals, steps, setup, .. } = Ready::new(args, file, components)?;
    let sweep = Sweep {
        engine,
        steps,
        watch: signals.iter().map(|signal| signal.key.clone()).collect(),
        every: args.every,
        workers: args.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
        steps_together: Sweep::STEPS_TOGETHER,
    };
    let points = Points::new(&setup.runs, opened.setup, &program).map_err(|error| match error {
        OverrideError::Twice(path) => Failure::Vary(VaryError::Twice(path)),
        error => Failure::File(OpenError::from(error)),
    })?;
    let ready = |run: u64| points.ready(&setup.runs.values(run));
    let bar = progress(args, setup.count);
    let mut results = Results::begin(&setup)?;
    let waiting: Vec<u64> = (0..setup.count).filter(|run| !results.is_done(*run)).collect();
    bar.set_position(results.done());
    let mut written = Ok(());
    let interrupt = Interrupt::listen();
    sweep.run_until(interrupt.cancel(), &waiting, &ready, |curve| {
        bar.inc(1);
        written = results.add(curve);
        if written.is_ok() { SweepFlow::Continue } else { SweepFlow::Stop }
    });
    bar.finish_and_clear();
    written?;
    results.finish(&setup, interrupt.signal())
}

/// Names the differences to the sweep whose finished runs are in the way.
fn other_sweep(path: &Path, done: Option<u64>, differences: &[IdentityDifference]) -> String {
    let path = path.display();
    let mut text = match done {
        Some(done) => {
            format!("{path} has {} of another sweep:", counted(usize::try_from(done).unwrap_or(0), "finished run"))
        }
        None => format!("{path} has finished runs that another version of this program has written"),
    };
    for IdentityDifference { name, before, now } in differences {
        text += &match (before, now) {
            (Some(before), Some(now)) => format!("\n  {name}: was {before}, is {now}"),
            (Some(before), None) => format!("\n  {name}: was {before}, is not given"),
            (None, now) => format!("\n  {name}: was not given, is {}", now.as_deref().unwrap_or_default()),
        };
    }
    text + "\n  repeat the command of that sweep to resume it, give another --out, or start again with --restart, which keeps \
           these runs in another file"
}

fn product(runs: &Runs) -> String {
    let points = runs.design.points(runs.draws, runs.size().dims).unwrap_or(u64::MAX);
    let counts = runs.varied.iter().map(Vary::count).chain([points]).filter(|count| *count > 1);
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
