//! `simulate optimize` and `simulate falsify`: searches for values with which a simulation meets its requirements, or does
//! not.
//!
//! | module | contents |
//! |---|---|
//! | `optimize` | values with which all requirements are met |
//! | `falsify` | values with which one is violated, and the test of it |
//! | `report` | the results as text and as JSON |

mod falsify;
mod optimize;
mod report;

use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::opened::{FileArgs, OpenError, OpenOptions, Opened, engine_of, error_text};
use super::output::{FAILURE, OutputFormat, complain, print};
use super::values::above_zero;
use super::written::WriteError;
use crate::block::FileError;
use crate::calibration::{DataError, TableColumns};
use crate::components::Components;
use crate::engine::Engines;
use crate::optimize::{BlackBoxOptions, Method};
use crate::requirement::{
    Condition, GradientError, Question, Requirement, RequirementTextError, SearchMethod, SearchOptions, Study,
    StudyError, reference_parts,
};
use crate::results::{ReadTableError, read_table};
use crate::trial::{FreeParam, ParamTextError, WriteBackError};

pub use falsify::{FalsifyArgs, run as falsify};
pub use optimize::{OptimizeArgs, run as optimize};

/// The options of both commands.
#[derive(Debug, Args)]
pub struct StudyArgs {
    /// The simulation
    pub file: PathBuf,
    /// A parameter to choose within bounds; may be repeated. PATH as for `run --set`, or that of an element with its index
    /// from 0 in brackets, or with empty brackets for all elements; PATH=low:high:log varies its logarithm
    #[arg(long, value_name = "PATH=low:high", required = true)]
    pub parameter: Vec<String>,
    /// A requirement on each run; may be repeated: “SIGNAL < NUMBER from T to T” (or <=, >, >=) at all times of the window,
    /// “eventually SIGNAL > NUMBER to T” once at least, “FIGURE of SIGNAL < NUMBER” (overshoot, settling-time, rise-time,
    /// maximum, minimum, mean, rms, final, peak-to-peak, absolute-area), “SIGNAL follows FILE:COLUMN within NUMBER”;
    /// several joined by “or”
    #[arg(long, value_name = "REQUIREMENT")]
    pub require: Vec<String>,
    /// Leaves out the check blocks of the simulation, which are requirements otherwise
    #[arg(long)]
    pub no_checks: bool,
    /// Sets an option for all runs, as for `run`
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// The number of steps of each run [default: from the file]
    #[arg(long, value_name = "N")]
    pub steps: Option<NonZeroU64>,
    /// The step length in seconds [default: from the file]
    #[arg(long, value_name = "D")]
    pub delta: Option<f64>,
    /// The engine
    #[arg(long, value_name = "NAME", default_value = Engines::DEFAULT)]
    pub engine: String,
    /// How the search proceeds
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodArg,
    /// The maximum number of evaluations from each start, each a run, or with tolerances one for each of their combinations
    #[arg(long, value_name = "N", default_value_t = BlackBoxOptions::default().max_evaluations)]
    pub evaluations: u64,
    /// Ends a search that has become narrower than this part of the bounds
    #[arg(long, value_name = "X", default_value_t = BlackBoxOptions::default().tolerance, value_parser = above_zero)]
    pub narrowness: f64,
    /// The number of starts: the values in the file, and others spread between the bounds
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    pub starts: NonZeroUsize,
    /// The seed of the search and of its starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The number of searches at the same time [default: the number of processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    /// Hides the progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub files: FileArgs,
}

/// How a search proceeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MethodArg {
    /// Along exact derivatives where there are any, then as cma-es
    #[default]
    Auto,
    /// Along exact derivatives: for requirements in all steps, without an objective
    Gradient,
    /// Evolution with an adapted covariance matrix, for rough functions and those with several minima
    CmaEs,
    /// Quadratic models in a trust region, for smooth functions and few evaluations
    Bobyqa,
}

#[derive(Debug, thiserror::Error)]
pub enum StudyFailure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error("--{0} {1}")]
    Param(&'static str, ParamTextError),
    #[error("--require {0}")]
    Require(RequirementTextError),
    #[error("{0}")]
    Objective(RequirementTextError),
    #[error("--require: {0}: expected FILE:COLUMN or FILE")]
    Source(String),
    #[error("--require: {0}")]
    Table(#[from] ReadTableError),
    #[error("--require: {0}: {1}")]
    Columns(String, DataError),
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error("--method gradient: {0}")]
    Gradient(#[from] GradientError),
    #[error("--method gradient: derivatives are not followed to a violation; choose another method")]
    GradientToViolation,
    #[error("{0}")]
    WriteBack(#[from] WriteBackError),
    #[error("{0}")]
    Blocks(FileError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Test(#[from] falsify::TestFileError),
}

impl StudyArgs {
    /// Opens the simulation and compiles the question, which may have an objective and tolerances already.
    fn study<'a>(&'a self, question: Question, components: &Components) -> Result<(Opened<'a>, Study), StudyFailure> {
        let engine = engine_of(&components.engines, &self.engine)?;
        let given = OpenOptions { set: &self.set, delta: self.delta, files: Some(&self.files) };
        let opened = Opened::open(components, &self.file, given)?;
        let requirements = self.require.iter().map(|text| Requirement::parse(text));
        let requirements = requirements.collect::<Result<Vec<_>, _>>().map_err(StudyFailure::Require)?;
        let question = Question {
            params: params("parameter", &self.parameter)?,
            references: references(&requirements)?,
            requirements,
            has_checks: !self.no_checks,
            steps: self.steps.map(NonZeroU64::get),
            ..question
        };
        let study = Study::new(&opened.setup, &question, &engine)?;
        Ok((opened, study))
    }

    fn options(&self) -> SearchOptions {
        let default = SearchOptions::default();
        let (method, of_black_box) = match self.method {
            MethodArg::Auto => (SearchMethod::Automatic, Method::CmaEs),
            MethodArg::Gradient => (SearchMethod::Gradient, Method::CmaEs),
            MethodArg::CmaEs => (SearchMethod::BlackBox, Method::CmaEs),
            MethodArg::Bobyqa => (SearchMethod::BlackBox, Method::Bobyqa),
        };
        let black_box = BlackBoxOptions {
            method: of_black_box,
            max_evaluations: self.evaluations,
            tolerance: self.narrowness,
            ..BlackBoxOptions::default()
        };
        let workers = self.threads.unwrap_or(default.workers);
        SearchOptions { method, black_box, starts: self.starts.get(), seed: self.seed, workers, ..default }
    }
}

/// Parses the parameters of an option.
fn params(option: &'static str, texts: &[String]) -> Result<Vec<FreeParam>, StudyFailure> {
    let parsed = texts.iter().map(|text| FreeParam::parse(text));
    parsed.collect::<Result<_, _>>().map_err(|error| StudyFailure::Param(option, error))
}

/// Prints the result of a search, or its error.
fn printed(result: Result<(String, u8), StudyFailure>, file: &Path) -> ExitCode {
    match result {
        Ok((text, code)) => print(&text, code),
        Err(StudyFailure::File(error)) => error.complain(file),
        Err(error) => {
            complain(&error_text(&error, file));
            ExitCode::from(FAILURE)
        }
    }
}

/// Reads the reference curves.
fn references(requirements: &[Requirement]) -> Result<BTreeMap<String, Vec<(f64, f64)>>, StudyFailure> {
    let mut curves = BTreeMap::new();
    for condition in requirements.iter().flat_map(|requirement| &requirement.any) {
        let Condition::Follows { source, .. } = condition else { continue };
        let (path, column) = reference_parts(source, |source| Path::new(source).is_file());
        let table = read_table(Path::new(path))?;
        let failed = |error| StudyFailure::Columns(source.clone(), error);
        let columns = TableColumns::new(&table, None).map_err(failed)?;
        let points = columns.curve(column).map_err(failed)?.ok_or_else(|| StudyFailure::Source(source.clone()))?;
        curves.insert(source.clone(), points);
    }
    Ok(curves)
}
