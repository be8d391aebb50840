//! The expected results of a simulation: a table written by `simulate run --out` or another program.

use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use super::super::opened::Opened;
use crate::block::element_names;
use crate::engine::{OutputId, Program, SelectedSignal, UNSET};
use crate::format::read_bounded;
use crate::results::{self, TableError};

/// The expected results of a simulation.
pub struct Expected {
    /// The steps, in ascending order.
    pub steps: Vec<u64>,
    pub columns: Vec<Column>,
    /// Whether the last line has no line end, as in a file that was cut off.
    pub is_open_ended: bool,
}

/// The expected values of one element of a signal.
pub struct Column {
    pub name: String,
    /// The index of the program output.
    pub output: OutputId,
    pub element: usize,
    /// The values, one for each step.
    pub values: Vec<f64>,
}

#[derive(Debug, thiserror::Error)]
pub enum ExpectedError {
    #[error("{0}")]
    Unreadable(#[from] csv::Error),
    #[error("the table needs a column “step” or “time” and at least one signal")]
    Columns,
    #[error("column “{0}”: unknown exit or signal")]
    Unknown(String),
    #[error("column “{name}”: the signal has {width} elements, with indices from 0")]
    Element { name: String, width: usize },
    #[error("column “{name}”: the signal is a bus of {elements}")]
    Name { name: String, elements: String },
    #[error("line {line}, column “{column}”: “{text}” is not a number")]
    Number { line: u64, column: String, text: String },
    #[error("line {line}: {time} s is not a multiple of the step length {delta} s")]
    Time { line: u64, time: f64, delta: f64 },
    #[error("line {0}: the steps must be in ascending order")]
    Order(u64),
    #[error("line {0}: a step is a number from 0 to 2^53")]
    Step(u64),
    #[error(
        "line {line} has {fields} of {columns} fields and no line end: the file is cut off; recreate it with --update"
    )]
    Cut { line: u64, fields: usize, columns: usize },
}

/// The maximum size of a file of expected results, in bytes.
const MOST_BYTES: u64 = 1 << 30;
/// The last step that a row may have; up to it each step has a distinct number.
const MAX_STEP: f64 = (1u64 << 53) as f64;

/// Returns the path of the expected results: `motor.expected.csv` for `motor.simx`.
pub fn beside(file: &Path) -> PathBuf {
    file.with_extension("expected.csv")
}

/// The column that determines a row's step.
enum Clock {
    Step(usize),
    Time(usize),
}

impl Expected {
    /// Reads expected results.
    ///
    /// # Errors
    /// If the table does not match the simulation.
    pub fn read(path: &Path, opened: &Opened, program: &Program) -> Result<Expected, ExpectedError> {
        let bytes = read_bounded(path, MOST_BYTES).map_err(csv::Error::from)?;
        // `run --provenance` writes the origin on the first line.
        let origin = bytes.starts_with(b"# {").then(|| bytes.iter().position(|byte| *byte == b'\n')).flatten();
        let table = bytes.get(origin.map_or(0, |end| end + 1)..).unwrap_or_default();
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(table);
        let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
        let index = |wanted: &str| names.iter().position(|name| name == wanted);
        let clock = match (index("step"), index("time")) {
            (Some(step), _) => Clock::Step(step),
            (None, Some(time)) => Clock::Time(time),
            (None, None) => return Err(ExpectedError::Columns),
        };
        let exits = opened.signals(program, "exits").unwrap_or_default();
        let mut columns = Vec::new();
        for (index, name) in names.iter().enumerate().filter(|(_, name)| !["step", "time"].contains(&name.as_str())) {
            let (output, element) = find(name, &exits, opened, program)?;
            columns.push((index, Column { name: name.clone(), output, element, values: Vec::new() }));
        }
        if columns.is_empty() {
            return Err(ExpectedError::Columns);
        }
        let is_open_ended = table.last().is_some_and(|byte| !matches!(byte, b'\n' | b'\r'));
        let mut expected = Expected { steps: Vec::new(), columns: Vec::new(), is_open_ended };
        for record in reader.records() {
            let record = record.map_err(|error| cut_off(error, is_open_ended.then_some(table)))?;
            let line = record.position().map_or(0, csv::Position::line);
            let number = |index: usize| match record.get(index).unwrap_or_default() {
                "" => Ok(UNSET),
                text => text.parse().map_err(|_| {
                    let column = names.get(index).cloned().unwrap_or_default();
                    ExpectedError::Number { line, column, text: text.to_owned() }
                }),
            };
            let step = match clock {
                Clock::Step(index) => number(index)?,
                Clock::Time(index) => {
                    let (time, delta) = (number(index)?, program.delta);
                    let step = (time / delta).round();
                    // Times may be rounded.
                    let is_step = (time - step * delta).abs() < delta * 0.01;
                    if !is_step {
                        return Err(ExpectedError::Time { line, time, delta });
                    }
                    step
                }
            };
            if !(0.0..=MAX_STEP).contains(&step) {
                return Err(ExpectedError::Step(line));
            }
            if expected.steps.last().is_some_and(|last| step as u64 <= *last) {
                return Err(ExpectedError::Order(line));
            }
            expected.steps.push(step as u64);
            for (index, column) in &mut columns {
                column.values.push(number(*index)?);
            }
        }
        expected.columns = columns.into_iter().map(|(_, column)| column).collect();
        Ok(expected)
    }

    /// Returns an empty table for a run of `steps` steps: the elements of the signals, in the last step and those that
    /// are multiples of `every`.
    pub fn empty(signals: &[SelectedSignal], steps: u64, every: NonZeroU64) -> Expected {
        let last = steps.saturating_sub(1);
        let multiples = (0..steps).step_by(usize::try_from(every.get()).unwrap_or(usize::MAX));
        let kept: Vec<u64> = multiples.chain((!last.is_multiple_of(every.get())).then_some(last)).collect();
        let columns = signals.iter().flat_map(|signal| {
            let elements = element_names(&signal.name, &signal.of).into_iter().enumerate();
            elements.map(|(element, name)| Column { name, output: signal.output, element, values: Vec::new() })
        });
        Expected { steps: kept, columns: columns.collect(), is_open_ended: false }
    }

    /// Returns the same columns with these values.
    #[must_use]
    pub fn with(mut self, values: Vec<Vec<f64>>) -> Expected {
        self.columns.iter_mut().zip(values).for_each(|(column, values)| column.values = values);
        self
    }

    /// Writes the expected results.
    ///
    /// # Errors
    /// If the file cannot be written.
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

/// Returns the error of a line with too few fields. Where the table has no line end after its last line, `open` is the
/// table, and that line is cut off.
fn cut_off(error: csv::Error, open: Option<&[u8]>) -> ExpectedError {
    let csv::ErrorKind::UnequalLengths { pos: Some(position), expected_len, len } = error.kind() else {
        return error.into();
    };
    let rest = open.and_then(|table| table.get(usize::try_from(position.byte()).ok()?..));
    let is_last = rest.is_some_and(|rest| !rest.trim_ascii_start().contains(&b'\n'));
    match is_last && len < expected_len {
        true => ExpectedError::Cut { line: position.line(), fields: *len as usize, columns: *expected_len as usize },
        false => error.into(),
    }
}

/// Finds the output and the element of a column: an exit or a signal, with the index of a vector's element in brackets,
/// or the name of a bus's element behind a dot.
fn find(
    name: &str,
    exits: &[SelectedSignal],
    opened: &Opened,
    program: &Program,
) -> Result<(OutputId, usize), ExpectedError> {
    let signal = |name: &str| {
        let exit = exits.iter().find(|exit| exit.name == name).map(|exit| (exit.output, exit.of.clone()));
        exit.or_else(|| opened.signal(program, name).ok().map(|signal| (signal.output, signal.of)))
    };
    // The name of the signal ends at one of the dots.
    let of_bus = || {
        let dots = name.match_indices('.').map(|(dot, _)| &name[..dot]);
        dots.filter_map(|before| Some((before, signal(before)?))).find(|(_, (_, of))| of.bus.is_some())
    };
    let indexed = || {
        let (name, element) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some((signal(name)?, element.parse::<usize>().ok()?))
    };
    if let Some((before, (output, of))) = of_bus() {
        let element = element_names(before, &of).iter().position(|known| known == name);
        return element.map(|element| (output, element)).ok_or_else(|| ExpectedError::Name {
            name: name.to_owned(),
            elements: of.bus.map(|bus| bus.to_string()).unwrap_or_default(),
        });
    }
    let ((output, of), element) = match signal(name) {
        Some(found) => (found, 0),
        None => indexed().ok_or_else(|| ExpectedError::Unknown(name.to_owned()))?,
    };
    if element >= of.width {
        return Err(ExpectedError::Element { name: name.to_owned(), width: of.width });
    }
    Ok((output, element))
}
