//! `simulate fit`: fits parameters of a simulation to measured curves.
//!
//! | module | contents |
//! |---|---|
//! | `data` | the experiments: data files, their columns, the options of each |
//! | `pool` | starts on the workers of a pool |
//! | `report` | the result as text and as JSON |

mod data;
#[cfg(feature = "pool")]
mod pool;
#[cfg(not(feature = "pool"))]
#[path = "no_pool.rs"]
mod pool;
mod report;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use self::data::{FitData, FitDataError, fit_data};
use self::report::FitReport;
use super::interrupt::{Interrupt, StopSignal};
use super::opened::{FileArgs, OpenError, engine_of, error_text};
use super::output::{FAILURE, OutputFormat, SUCCESS, UNREADABLE, complain, json, print, spinner};
use super::pool::PoolArgs;
use super::values::above_zero;
use super::written::{WriteError, replace};
use crate::block::{FileError, parse_number};
use crate::calibration::{
    Calibration, CalibrationError, CalibrationParam, FitOptions, FitOutcome, FitProgress, change_of,
};
use crate::components::Components;
use crate::engine::Engines;
use crate::optimize::{End, Loss, MinimizeOptions};
use crate::trial::{ParamTextError, WriteBackError};

#[derive(Debug, Args)]
pub struct FitArgs {
    /// The simulation
    pub file: PathBuf,
    /// A file with measured curves (.csv, .parquet, .npz or .mat): a column of times in seconds, and one for each signal.
    /// May be repeated: each file is an experiment, a run of its own
    #[arg(long, value_name = "FILE", required = true)]
    pub data: Vec<PathBuf>,
    /// A parameter to fit; may be repeated. PATH as for `run --set`, or that of an element with its index from 0 in
    /// brackets; its value in the file is the start. PATH=low:high keeps it within bounds, PATH=low:high:log or PATH=log
    /// varies its logarithm
    #[arg(long, value_name = "PATH", required_unless_present = "parameter_for")]
    pub parameter: Vec<String>,
    /// A parameter that has a value of its own in the experiment of this data file
    #[arg(long, num_args = 2, value_names = ["FILE", "PATH"])]
    pub parameter_for: Vec<String>,
    /// The signal that a column belongs to; may be repeated, then other columns are not used [default: each column belongs
    /// to the signal of its name]
    #[arg(long, value_name = "COLUMN=SIGNAL")]
    pub map: Vec<String>,
    /// The column of times [default: “time” or “t”, else the first one]
    #[arg(long, value_name = "COLUMN")]
    pub time: Option<String>,
    /// The weight of the differences of a column, a number or a column of numbers: 1 over the standard deviation of the
    /// measurement [default: 1]
    #[arg(long, value_name = "COLUMN=WEIGHT")]
    pub weight: Vec<String>,
    /// Sets an option for all experiments, as for `run`
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Sets an option for the experiment of this data file: its inputs and initial values
    #[arg(long, num_args = 2, value_names = ["FILE", "PATH=VALUE"])]
    pub set_for: Vec<String>,
    /// The step length in seconds [default: from the file]
    #[arg(long, value_name = "D")]
    pub delta: Option<f64>,
    /// The engine
    #[arg(long, value_name = "NAME", default_value = Engines::DEFAULT)]
    pub engine: String,
    /// How a difference counts: square, or less the larger it is
    #[arg(long, value_enum, default_value_t)]
    pub loss: LossArg,
    /// The weighted difference from which it counts less
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = above_zero)]
    pub loss_scale: f64,
    /// The number of starts: the values in the file, and others spread between the bounds
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    pub starts: NonZeroUsize,
    /// The seed of the other starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The number of starts at the same time [default: the number of processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// The maximum number of iterations from each start
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub iterations: u64,
    /// Ends when a step changes the parameters by less than this part, or many steps the sum by hardly more
    #[arg(long, value_name = "X", default_value_t = 1e-9, value_parser = above_zero)]
    pub tolerance: f64,
    /// The probability of the confidence intervals
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = probability)]
    pub confidence: f64,
    /// Adds confidence intervals by profile likelihood, which hold where the model is far from linear; they take many more runs
    #[arg(long)]
    pub profile: bool,
    /// Writes the values into the file
    #[arg(long)]
    pub write: bool,
    /// Replaces expressions by numbers, too
    #[arg(long, requires = "write")]
    pub replace_expressions: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Hides the progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// The longest time of the search from a start on a pool, in seconds
    #[arg(long, value_name = "S", default_value_t = 3600.0, requires = "pool")]
    pub start_limit: f64,
    #[command(flatten)]
    pub files: FileArgs,
}

/// How a difference counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LossArg {
    #[default]
    Square,
    /// Its square up to the scale, and its size above
    Huber,
    /// A smooth form of Huber's
    SoftL1,
    /// Far outliers hardly count
    Cauchy,
}

impl LossArg {
    fn loss(self) -> Loss {
        match self {
            LossArg::Square => Loss::Square,
            LossArg::Huber => Loss::Huber,
            LossArg::SoftL1 => Loss::SoftL1,
            LossArg::Cauchy => Loss::Cauchy,
        }
    }
}

fn probability(text: &str) -> Result<f64, String> {
    let value = parse_number(text).ok().filter(|value| *value > 0.0 && *value < 1.0);
    value.ok_or_else(|| "expected a number between 0 and 1".to_owned())
}

#[derive(Debug, thiserror::Error)]
enum FitFailure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error("--parameter {0}")]
    Param(#[from] ParamTextError),
    #[error(transparent)]
    Data(FitDataError),
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    #[error(transparent)]
    Pool(#[from] pool::Failure),
    #[error("--write: {0}")]
    WriteBack(#[from] WriteBackError),
    #[error("--write: {0}")]
    Blocks(FileError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<FitDataError> for FitFailure {
    fn from(error: FitDataError) -> FitFailure {
        match error {
            FitDataError::Open(error) => FitFailure::File(error),
            error => FitFailure::Data(error),
        }
    }
}

pub fn run(args: &FitArgs, components: &Components) -> ExitCode {
    match fit(args, components) {
        Ok((text, code)) => print(&text, code),
        Err(FitFailure::File(error)) => error.complain(&args.file),
        Err(FitFailure::Data(error @ FitDataError::Table(_))) => {
            complain(&format!("error: {error}"));
            ExitCode::from(UNREADABLE)
        }
        Err(error) => {
            complain(&error_text(&error, &args.file));
            ExitCode::from(FAILURE)
        }
    }
}

/// A fit whose starts are a pool's work.
#[cfg_attr(not(feature = "pool"), allow(dead_code, reason = "only pools need it"))]
struct PoolFit<'a> {
    args: &'a FitArgs,
    components: &'a Components,
    options: &'a FitOptions,
    calibration: &'a Calibration,
    params: Vec<CalibrationParam>,
}

fn fit(args: &FitArgs, components: &Components) -> Result<(String, u8), FitFailure> {
    let engine = engine_of(&components.engines, &args.engine)?;
    let FitData { experiments, sets, unused } = fit_data(args, components)?;
    let mut params = args.parameter.iter().map(|text| CalibrationParam::parse(text)).collect::<Result<Vec<_>, _>>()?;
    for (file, text) in data::pairs(&args.parameter_for) {
        let experiment = Some(data::experiment_of(args, file, "--parameter-for")?);
        params.push(CalibrationParam { experiment, ..CalibrationParam::parse(text)? });
    }
    let names: Vec<String> = experiments.iter().map(|experiment| experiment.name.clone()).collect();
    // They may have many measured values, which only a pool needs once more.
    let sent = if args.pool.pool.is_some() { pool::sent(&experiments, &sets) } else { Vec::new() };
    let calibration = Calibration::new(experiments, &params, &engine)?;
    let default = FitOptions::default();
    let options = FitOptions {
        minimize: MinimizeOptions {
            max_iterations: args.iterations,
            tolerance: args.tolerance,
            loss: args.loss.loss(),
            loss_scale: args.loss_scale,
        },
        starts: args.starts.get(),
        seed: args.seed,
        workers: args.threads.unwrap_or(default.workers),
        level: args.confidence,
        has_profiles: args.profile,
    };
    let bar = spinner(args.quiet);
    let interrupt = Interrupt::listen();
    let mut best = f64::INFINITY;
    let mut look = |progress: FitProgress| {
        best = best.min(progress.sum);
        bar.set_message(format!(
            "start {} of {}, iteration {}, least sum {best:.6e}",
            progress.start + 1,
            args.starts,
            progress.iteration
        ));
    };
    let outcome = match args.pool.options() {
        None => calibration.fit(&options, interrupt.cancel(), &mut look).map_err(FitFailure::from),
        Some(pool) => {
            let given = PoolFit { args, components, options: &options, calibration: &calibration, params };
            given.fit(&pool, sent, interrupt.cancel(), &bar)
        }
    };
    bar.finish_and_clear();
    let outcome = outcome?;
    let signal = interrupt.signal();
    if let Some(signal) = signal {
        complain(&format!("{signal} stopped the fit; the best values so far follow"));
    }
    let is_written = args.write && signal.is_none() && outcome.end == End::Converged;
    if is_written {
        write(args, components, &outcome)?;
    } else if args.write {
        complain("warning: the values are not written, since the fit is not complete");
    }
    let loss = args.loss.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let report = FitReport::new(&outcome, loss, (&names, &unused), is_written);
    let text = match args.format {
        OutputFormat::Json => json(&report),
        OutputFormat::Text => report.text(),
    };
    let code = if outcome.end == End::Converged { SUCCESS } else { FAILURE };
    Ok((text, signal.map_or(code, StopSignal::code)))
}

/// Writes the values into the file as it is, without those of `--set`.
fn write(args: &FitArgs, components: &Components, outcome: &FitOutcome) -> Result<(), FitFailure> {
    let simulation = components.formats.open(&args.file, &args.files.options()).map_err(WriteError::from)?.simulation;
    let registry = args.files.registry(components, &args.file).map_err(FitFailure::Blocks)?;
    let change = change_of(&outcome.params, &simulation, &registry, args.replace_expressions)?;
    Ok(replace(components, &registry, (&args.file, &simulation), change)?)
}
