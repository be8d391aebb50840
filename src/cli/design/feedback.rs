//! `simulate design lqr`, `kalman` and `place`: gains of state feedback and observers.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::chosen::{ChoiceError, chosen};
use super::matrices::{MatrixError, column_of, matrix, pairs, poles_of, roots_text, rows, sized};
use crate::block::math::Matrix;
use crate::cli::opened::{FileArgs, OpenError, OpenOptions, Opened, error_text};
use crate::cli::output::{FAILURE, OutputFormat, SUCCESS, complain, counted, json, print};
use crate::cli::written::{WriteError, write};
use crate::components::Components;
use crate::tuning::{
    Feedback, FeedbackError, GainTarget, StateBlockError, StateSystem, kalman, lqr, place, place_observer,
    state_blocks, state_system,
};

/// Where the system comes from, and where the gain goes.
#[derive(Debug, Args)]
pub struct SystemArgs {
    /// The simulation with the block; without it the matrices are given
    pub file: Option<PathBuf>,
    /// The state-space block, such as Plant#3
    #[arg(long, value_name = "PATH", requires = "file")]
    pub block: Option<String>,
    /// The state matrix: rows separated by semicolons, such as "0 1; -2 -3"
    #[arg(long, value_name = "MATRIX", conflicts_with = "file", allow_hyphen_values = true)]
    pub a: Option<String>,
    /// The input matrix: a row for each state
    #[arg(long, value_name = "MATRIX", conflicts_with = "file", allow_hyphen_values = true)]
    pub b: Option<String>,
    /// The output matrix: a column for each state
    #[arg(long, value_name = "MATRIX", conflicts_with = "file", allow_hyphen_values = true)]
    pub c: Option<String>,
    /// The sample time in seconds, if the matrices are those of a discrete system
    #[arg(long, value_name = "SECONDS", conflicts_with = "file", value_parser = crate::cli::values::above_zero)]
    pub sample_time: Option<f64>,
    /// Sets an option before the matrices are read: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas
    #[arg(long, value_name = "PATH=VALUE", requires = "file")]
    pub set: Vec<String>,
    /// The parameter of a block in the file that gets the gain, such as Feedback#5 or Feedback#5.Gain; without it the file
    /// stays as it is
    #[arg(long, value_name = "PATH", requires = "file")]
    pub write: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub files: FileArgs,
}

#[derive(Debug, Args)]
pub struct LqrArgs {
    #[command(flatten)]
    pub system: SystemArgs,
    /// The weight of the states: a matrix, its diagonal, or one number for all states
    #[arg(long, value_name = "MATRIX", default_value = "1", allow_hyphen_values = true)]
    pub q: String,
    /// The weight of the inputs: a matrix, its diagonal, or one number for all inputs
    #[arg(long, value_name = "MATRIX", default_value = "1", allow_hyphen_values = true)]
    pub r: String,
    /// The weight of states with inputs: a row for each state [default: 0]
    #[arg(long, value_name = "MATRIX", allow_hyphen_values = true)]
    pub n: Option<String>,
}

#[derive(Debug, Args)]
pub struct KalmanArgs {
    #[command(flatten)]
    pub system: SystemArgs,
    /// The covariance of the process noise: a matrix, its diagonal, or one number
    #[arg(long, value_name = "MATRIX", default_value = "1", allow_hyphen_values = true)]
    pub q: String,
    /// The covariance of the measurement noise: a matrix, its diagonal, or one number
    #[arg(long, value_name = "MATRIX", default_value = "1", allow_hyphen_values = true)]
    pub r: String,
    /// How the process noise acts on the states: a row for each state [default: on each state by itself]
    #[arg(long, value_name = "MATRIX", allow_hyphen_values = true)]
    pub g: Option<String>,
}

#[derive(Debug, Args)]
pub struct PlaceArgs {
    #[command(flatten)]
    pub system: SystemArgs,
    /// The poles of the closed loop, one for each state: "-2 -1+3i -1-3i"
    #[arg(long, value_name = "POLES", allow_hyphen_values = true)]
    pub poles: String,
    /// The gain of an observer in place of that of a feedback
    #[arg(long)]
    pub observer: bool,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error("give a simulation with --block, or matrices with --a and {0}")]
    NoSystem(&'static str),
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    #[error("{0}: {1}")]
    Block(String, StateBlockError),
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    #[error(transparent)]
    Feedback(#[from] FeedbackError),
    #[error("--write: {0}")]
    Target(StateBlockError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

pub fn run_lqr(args: &LqrArgs, components: &Components) -> ExitCode {
    run(&args.system, components, Sides { b: true, c: false }, "K", |system| {
        let (states, inputs) = (system.a.rows, system.b.columns);
        let q = weight("q", &args.q, states)?;
        let r = weight("r", &args.r, inputs)?;
        let n = args.n.as_deref().map(|text| fitting("n", text, states, inputs)).transpose()?;
        Ok(lqr(system, &q, &r, n.as_ref())?)
    })
}

pub fn run_kalman(args: &KalmanArgs, components: &Components) -> ExitCode {
    run(&args.system, components, Sides { b: false, c: true }, "L", |system| {
        let states = system.a.rows;
        let (g, noises) = match &args.g {
            None => (Matrix::identity(states), states),
            Some(text) => {
                let found = column_of(matrix("g", text)?, states);
                let has_rows = found.rows == states;
                let g = sized("g", found, has_rows, format!("{}, one for each state", counted(states, "row")))?;
                let noises = g.columns;
                (g, noises)
            }
        };
        let q = g.times(&weight("q", &args.q, noises)?).times(&g.transposed());
        Ok(kalman(system, &q, &weight("r", &args.r, system.c.rows)?)?)
    })
}

pub fn run_place(args: &PlaceArgs, components: &Components) -> ExitCode {
    let (needs, name) = match args.observer {
        true => (Sides { b: false, c: true }, "L"),
        false => (Sides { b: true, c: false }, "K"),
    };
    run(&args.system, components, needs, name, |system| {
        let poles = poles_of("poles", &args.poles)?;
        Ok(if args.observer { place_observer(system, &poles)? } else { place(system, &poles)? })
    })
}

/// Which matrices beside A a design needs.
#[derive(Clone, Copy)]
struct Sides {
    b: bool,
    c: bool,
}

fn run(
    args: &SystemArgs,
    components: &Components,
    needs: Sides,
    name: &'static str,
    design: impl Fn(&StateSystem) -> Result<Feedback, Failure>,
) -> ExitCode {
    match designed(args, components, needs, name, &design) {
        Ok(text) => print(&text, SUCCESS),
        Err(Failure::File(error)) => match &args.file {
            Some(file) => error.complain(file),
            None => ExitCode::from(FAILURE),
        },
        Err(error) => {
            let text = args.file.as_ref().map_or_else(|| format!("error: {error}"), |file| error_text(&error, file));
            complain(&text);
            ExitCode::from(FAILURE)
        }
    }
}

fn designed(
    args: &SystemArgs,
    components: &Components,
    needs: Sides,
    name: &'static str,
    design: &dyn Fn(&StateSystem) -> Result<Feedback, Failure>,
) -> Result<String, Failure> {
    let Some(file) = &args.file else {
        let system = given(args, needs)?;
        return Ok(text(args, &Report::new(None, name, &system, &design(&system)?)));
    };
    let options = OpenOptions { set: &args.set, files: Some(&args.files), ..OpenOptions::default() };
    let opened = Opened::open(components, file, options)?;
    let (simulation, registry) = (Arc::clone(opened.simulation()), Arc::clone(opened.registry()));
    let program = opened.compile()?;
    let all = || state_blocks(&simulation, &registry);
    let address = chosen(&simulation, args.block.as_deref(), "state-space", all)?;
    let block = address.text(&simulation);
    let system = state_system(&simulation, &registry, &program, &address);
    let system = system.map_err(|error| Failure::Block(block.clone(), error))?;
    let found = design(&system)?;
    let mut report = Report::new(Some(block), name, &system, &found);
    if let Some(target) = &args.write {
        let change = GainTarget::find(&simulation, &registry, target).and_then(|target| target.change(&found.gain));
        write(components, &registry, (file, &args.files), change.map_err(Failure::Target)?)?;
        report.written = Some(target.clone());
    }
    Ok(text(args, &report))
}

fn text(args: &SystemArgs, report: &Report) -> String {
    match args.format {
        OutputFormat::Json => json(report),
        OutputFormat::Text => report.text(),
    }
}

/// Reads the system from the matrices of the command line.
fn given(args: &SystemArgs, needs: Sides) -> Result<StateSystem, Failure> {
    let missing = || Failure::NoSystem(if needs.b { "--b" } else { "--c" });
    let a = matrix("a", args.a.as_deref().ok_or_else(missing)?)?;
    let states = a.rows;
    let is_square = a.columns == states;
    let a = sized("a", a, is_square, "a square matrix".to_owned())?;
    let b = match &args.b {
        None if needs.b => return Err(missing()),
        None => Matrix::zero(states, 1),
        Some(text) => column_of(matrix("b", text)?, states),
    };
    let has_rows = b.rows == states;
    let b = sized("b", b, has_rows, format!("{}, one for each state", counted(states, "row")))?;
    let c = match &args.c {
        None if needs.c => return Err(missing()),
        None => Matrix::identity(states),
        Some(text) => matrix("c", text)?,
    };
    let has_columns = c.columns == states;
    let c = sized("c", c, has_columns, format!("{}, one for each state", counted(states, "column")))?;
    Ok(StateSystem { a, b, c, period: args.sample_time })
}

/// Reads a matrix of this size.
fn fitting(option: &'static str, text: &str, rows: usize, columns: usize) -> Result<Matrix, MatrixError> {
    let found = matrix(option, text)?;
    let found = if columns == 1 { column_of(found, rows) } else { found };
    let fits = (found.rows, found.columns) == (rows, columns);
    sized(option, found, fits, format!("{} of {columns}", counted(rows, "row")))
}

/// Reads a square matrix: all elements, the diagonal, or one number for the diagonal.
fn weight(option: &'static str, text: &str, size: usize) -> Result<Matrix, MatrixError> {
    let found = matrix(option, text)?;
    let is_line = found.rows == 1 || found.columns == 1;
    match (&found.values[..], found.values.len()) {
        ([one], _) => Ok(Matrix::identity(size).scaled(*one)),
        (values, count) if is_line && count == size => {
            let at = |row: usize| values.get(row).copied().unwrap_or(0.0);
            Ok(Matrix::from(size, size, |row, column| if row == column { at(row) } else { 0.0 }))
        }
        _ => {
            let fits = (found.rows, found.columns) == (size, size);
            sized(option, found, fits, format!("{size}×{size}, its diagonal, or one number"))
        }
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<String>,
    /// In seconds; none of a continuous system.
    sample_time: Option<f64>,
    #[serde(skip)]
    name: &'static str,
    gain: Vec<Vec<f64>>,
    /// The gain by which a discrete Kalman filter corrects the current estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    correction: Option<Vec<Vec<f64>>>,
    /// The solution of the Riccati equation: the costs from a state on, or the covariance of the estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    riccati: Option<Vec<Vec<f64>>>,
    poles: Vec<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
}

impl Report {
    fn new(block: Option<String>, name: &'static str, system: &StateSystem, found: &Feedback) -> Report {
        Report {
            block,
            sample_time: system.period,
            name,
            gain: rows(&found.gain),
            correction: found.correction.as_ref().map(rows),
            riccati: found.riccati.as_ref().map(rows),
            poles: pairs(found.poles.clone()),
            written: None,
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let matrices = [(self.name, Some(&self.gain)), ("M", self.correction.as_ref())];
        for (name, matrix) in matrices {
            let Some(matrix) = matrix else { continue };
            text += &format!("{name}\n");
            for row in matrix {
                let line: Vec<String> = row.iter().map(f64::to_string).collect();
                text += &format!("  {}\n", line.join(" "));
            }
        }
        text += &roots_text("poles", &self.poles);
        if let Some(target) = &self.written {
            text += &format!("written into {target}\n");
        }
        text
    }
}
