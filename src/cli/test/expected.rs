//! The results that are kept beside a simulation: a table as `simulate run --out` writes it, or another program.

use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use super::super::opened::{Chosen, Opened};
use crate::engine::{Program, UNSET};
use crate::results::{self, TableError};

/// What a simulation is expected to give.
pub struct Expected {
    /// The steps, in ascending order.
    pub steps: Vec<u64>,
    pub columns: Vec<Column>,
}

/// One lane of a signal.
pub struct Column {
    pub name: String,
    /// The signal's number among the program's outputs.
    pub output: usize,
    pub lane: usize,
    /// A value for each of the steps.
    pub values: Vec<f64>,
}

#[derive(Debug, thiserror::Error)]
pub enum ExpectedError {
    #[error("{0}")]
    Unreadable(#[from] csv::Error),
    #[error("the table needs a column “step” or “time”, and one for each signal")]
    Columns,
    #[error("column “{0}”: the simulation has no such exit or signal")]
    Unknown(String),
    #[error("column “{name}”: the signal has {width} lanes, the first is number 0")]
    Lane { name: String, width: usize },
    #[error("line {line}, column “{column}”: “{text}” is no number")]
    Number { line: u64, column: String, text: String },
    #[error("line {line}: at {time} s there is no step; a step takes {delta} s")]
    Time { line: u64, time: f64, delta: f64 },
    #[error("line {0}: the steps must ascend")]
    Order(u64),
}

/// `motor.simx` has its expected results in `motor.expected.csv`.
pub fn beside(file: &Path) -> PathBuf {
    file.with_extension("expected.csv")
}

/// Where a row stands in the run.
enum Clock {
    Step(usize),
    Time(usize),
}

impl Expected {
    /// # Errors
    /// Where the table does not fit the simulation.
    pub fn read(path: &Path, opened: &Opened, program: &Program) -> Result<Expected, ExpectedError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path)?;
        let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        let clock = match (place("step"), place("time")) {
            (Some(step), _) => Clock::Step(step),
            (None, Some(time)) => Clock::Time(time),
            (None, None) => return Err(ExpectedError::Columns),
        };
        let exits = opened.signals(program, "exits").unwrap_or_default();
        let mut columns = Vec::new();
        for (place, name) in names.iter().enumerate().filter(|(_, name)| !["step", "time"].contains(&name.as_str())) {
            let (output, lane) = find(name, &exits, opened, program)?;
            columns.push((place, Column { name: name.clone(), output, lane, values: Vec::new() }));
        }
        if columns.is_empty() {
            return Err(ExpectedError::Columns);
        }
        let mut expected = Expected { steps: Vec::new(), columns: Vec::new() };
        for record in reader.records() {
            let record = record?;
            let line = record.position().map_or(0, csv::Position::line);
            let number = |place: usize| match record.get(place).unwrap_or_default() {
                "" => Ok(UNSET),
                text => text.parse().map_err(|_| {
                    let column = names.get(place).cloned().unwrap_or_default();
                    ExpectedError::Number { line, column, text: text.to_owned() }
                }),
            };
            let step = match clock {
                Clock::Step(place) => number(place)?,
                Clock::Time(place) => {
                    let (time, delta) = (number(place)?, program.delta);
                    let step = (time / delta).round();
                    // Times are written with few digits.
                    let is_step = (time - step * delta).abs() < delta * 0.01;
                    if !is_step {
                        return Err(ExpectedError::Time { line, time, delta });
                    }
                    step
                }
            };
            if step.is_nan() || step < 0.0 || expected.steps.last().is_some_and(|last| step as u64 <= *last) {
                return Err(ExpectedError::Order(line));
            }
            expected.steps.push(step as u64);
            for (place, column) in &mut columns {
                column.values.push(number(*place)?);
            }
        }
        expected.columns = columns.into_iter().map(|(_, column)| column).collect();
        Ok(expected)
    }

    /// What is to be kept of a run of so many steps: the lanes of signals, in steps that are multiples of `every`, and
    /// in the last.
    pub fn wish(signals: &[Chosen], steps: u64, every: NonZeroU64) -> Expected {
        let last = steps.saturating_sub(1);
        let multiples = (0..steps).step_by(usize::try_from(every.get()).unwrap_or(usize::MAX));
        let kept: Vec<u64> = multiples.chain((!last.is_multiple_of(every.get())).then_some(last)).collect();
        let lanes = signals.iter().flat_map(|signal| {
            let names = results::lane_names(&[(signal.name.clone(), signal.width)]);
            let columns = names.into_iter().enumerate();
            columns.map(|(lane, name)| Column { name, output: signal.output, lane, values: Vec::new() })
        });
        Expected { steps: kept, columns: lanes.collect() }
    }

    /// The same columns with other values.
    #[must_use]
    pub fn with(mut self, values: Vec<Vec<f64>>) -> Expected {
        self.columns.iter_mut().zip(values).for_each(|(column, values)| column.values = values);
        self
    }

    /// # Errors
    /// Where the file cannot be written.
    pub fn write(&self, path: &Path, delta: f64) -> Result<(), TableError> {
        let unwritable = |error: io::Error| TableError::Unwritable(path.display().to_string(), error);
        let names = std::iter::once("time".to_owned()).chain(self.columns.iter().map(|column| column.name.clone()));
        let mut table = results::create(path, &["step"], &names.collect::<Vec<_>>())?;
        for (row, step) in self.steps.iter().enumerate() {
            let values = self.columns.iter().map(|column| column.values.get(row).copied().unwrap_or(UNSET));
            let numbers: Vec<f64> = std::iter::once(*step as f64 * delta).chain(values).collect();
            table.row(&[*step as i64], &numbers).map_err(unwritable)?;
        }
        table.finish().map_err(unwritable)
    }
}

/// The output and the lane that a column's name means: an exit or a signal, a lane of a vector in brackets behind it.
fn find(name: &str, exits: &[Chosen], opened: &Opened, program: &Program) -> Result<(usize, usize), ExpectedError> {
    let width_of = |name: &str| {
        let exit = exits.iter().find(|exit| exit.name == name).map(|exit| (exit.output, exit.width));
        exit.or_else(|| opened.signal(program, name).ok().map(|signal| (signal.output, signal.width)))
    };
    let lane = || {
        let (name, lane) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some((width_of(name)?, lane.parse::<usize>().ok()?))
    };
    let ((output, width), lane) = match width_of(name) {
        Some(found) => (found, 0),
        None => lane().ok_or_else(|| ExpectedError::Unknown(name.to_owned()))?,
    };
    if lane >= width {
        return Err(ExpectedError::Lane { name: name.to_owned(), width });
    }
    Ok((output, lane))
}
