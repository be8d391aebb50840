//! Measured curves, from tables of numbers.

use serde::{Deserialize, Serialize};

use crate::block::DataTable;
use crate::model::SignalKey;

/// The measured values of an element of a signal.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCurve {
    /// The name of the column.
    pub name: String,
    pub signal: SignalKey,
    /// The index of the element, from 0.
    pub element: usize,
    pub rows: Vec<MeasuredRow>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredRow {
    /// The simulation time in seconds.
    pub time: f64,
    pub value: f64,
    /// The difference between simulation and measurement is multiplied by it: 1 over the standard deviation.
    pub weight: f64,
}

/// Why a table has no measured curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    #[error("there is no column “{0}”; the columns are: {1}")]
    NoColumn(String, String),
    #[error("there is no column of times: name one by --time")]
    NoTimes,
    #[error("row {row} of the column of times has {time}; times are seconds from 0 on")]
    Time { row: usize, time: f64 },
    #[error("row {row} of the weights “{name}” has {weight}; a weight is at least 0")]
    Weight { name: String, row: usize, weight: f64 },
    #[error("the column “{0}” has no values")]
    Empty(String),
}

/// The columns of a table with one of times.
#[derive(Clone, Debug)]
pub struct TableColumns<'a> {
    table: &'a DataTable,
    times: Vec<f64>,
    of_times: Option<usize>,
}

/// The names of columns that number rows, as results of runs and sweeps have them.
const COUNTERS: [&str; 2] = ["step", "run"];

impl<'a> TableColumns<'a> {
    /// Finds the times: the column of this name, else that of the table's interval, “time” or “t”, or the first one.
    ///
    /// # Errors
    /// If there are none, or a time is not a number from 0 on.
    pub fn new(table: &'a DataTable, time: Option<&str>) -> Result<TableColumns<'a>, DataError> {
        let is_time = |name: &str| ["time", "t"].contains(&name.to_lowercase().as_str());
        let of_times = match (time, table.interval) {
            (Some(name), _) => Some(position(table, name)?),
            (None, Some(_)) => None,
            (None, None) => {
                let named = table.columns.iter().position(|column| is_time(&column.name));
                Some(named.or_else(|| (!table.columns.is_empty()).then_some(0)).ok_or(DataError::NoTimes)?)
            }
        };
        let times: Vec<f64> = match of_times.and_then(|column| table.columns.get(column)) {
            Some(column) => column.values.clone(),
            None => (0..table.rows()).map(|row| row as f64 * table.interval.unwrap_or(1.0)).collect(),
        };
        match times.iter().position(|time| !(time.is_finite() && *time >= 0.0)) {
            Some(row) => Err(DataError::Time { row: row + 1, time: times.get(row).copied().unwrap_or(f64::NAN) }),
            None => Ok(TableColumns { table, times, of_times }),
        }
    }

    /// The names of the columns that may be measured: all but the times and those that number rows.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let columns = self.table.columns.iter().enumerate().filter(|(index, _)| Some(*index) != self.of_times);
        columns.map(|(_, column)| &*column.name).filter(|name| !COUNTERS.contains(name))
    }

    /// Returns the numbers of a column.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn column(&self, name: &str) -> Result<&'a [f64], DataError> {
        let index = position(self.table, name)?;
        Ok(self.table.columns.get(index).map_or(&[], |column| &column.values))
    }

    /// Returns the times and values of a column, or of the first one, in the order of the times; `None` without columns.
    ///
    /// # Errors
    /// If there is no such column, or it has no value.
    pub fn curve(&self, name: Option<&str>) -> Result<Option<Vec<(f64, f64)>>, DataError> {
        let Some(name) = name.or_else(|| self.names().next()) else { return Ok(None) };
        let rows = self.rows(name, &ColumnWeights::Constant(1.0))?;
        let mut points: Vec<(f64, f64)> = rows.iter().map(|row| (row.time, row.value)).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ok(Some(points))
    }

    /// Returns the rows of a column that have a value, with a weight for all or one for each row.
    ///
    /// # Errors
    /// If there is no such column, or no value, or a weight is below 0 or no number.
    pub fn rows(&self, name: &str, weights: &ColumnWeights) -> Result<Vec<MeasuredRow>, DataError> {
        let values = self.column(name)?;
        let mut rows = Vec::new();
        for (row, (&value, &time)) in
            values.iter().zip(&self.times).enumerate().filter(|(_, (value, _))| value.is_finite())
        {
            let (weight, of) = match weights {
                ColumnWeights::Constant(weight) => (*weight, name),
                ColumnWeights::Column(of) => (self.column(of)?.get(row).copied().unwrap_or(f64::NAN), &**of),
            };
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(DataError::Weight { name: of.to_owned(), row: row + 1, weight });
            }
            rows.push(MeasuredRow { time, value, weight });
        }
        if rows.is_empty() { Err(DataError::Empty(name.to_owned())) } else { Ok(rows) }
    }
}

/// The weights of a measured column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnWeights {
    Constant(f64),
    /// The numbers of another column.
    Column(String),
}

fn position(table: &DataTable, name: &str) -> Result<usize, DataError> {
    let known = || table.columns.iter().map(|column| &*column.name).collect::<Vec<_>>().join(", ");
    let found = table.columns.iter().position(|column| column.name == name);
    found.ok_or_else(|| DataError::NoColumn(name.to_owned(), known()))
}
