//! Results as a file: a row a step, or a row a step of each of many runs. The file appears when it is complete.
//! Knows the engine's samples, and neither window nor command line.

mod csv;
mod parquet;

use std::io;
use std::path::Path;

use self::csv::Csv;
pub use self::csv::Text;
use self::parquet::Parquet;
use crate::engine::Samples;

/// A table that is being written: some columns of whole numbers, then columns of numbers.
pub trait Table {
    /// Appends a row. A number that was never set ([`crate::engine::UNSET`]) is left out.
    ///
    /// # Errors
    /// Where the disk does not take it.
    fn row(&mut self, integers: &[i64], numbers: &[f64]) -> io::Result<()>;

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Where that fails; the file that was there before is as it was.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("{0}: a table can be written as .csv or .parquet")]
    Extension(String),
    #[error("{0}: the file cannot be written: {1}")]
    Unwritable(String, io::Error),
}

/// Begins a table of the extension's format.
///
/// # Errors
/// Where the extension is another or the file cannot be made.
pub fn create(path: &Path, integers: &[&str], numbers: &[String]) -> Result<Box<dyn Table>, TableError> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let unwritable = |error: io::Error| TableError::Unwritable(path.display().to_string(), error);
    let open = || crate::format::begin(path);
    match extension.as_deref() {
        Some("csv") => Ok(Box::new(open().and_then(|file| Csv::begin(file, integers, numbers)).map_err(unwritable)?)),
        Some("parquet") => {
            Ok(Box::new(open().and_then(|file| Parquet::begin(file, integers, numbers)).map_err(unwritable)?))
        }
        _ => Err(TableError::Extension(path.display().to_string())),
    }
}

/// A column's name for each lane of each signal, given by name and number of lanes: `v[0]`, `v[1]` for a vector.
pub fn lane_names(signals: &[(String, usize)]) -> Vec<String> {
    let lanes = signals.iter().flat_map(|(name, width)| {
        (0..*width).map(move |lane| if *width == 1 { name.clone() } else { format!("{name}[{lane}]") })
    });
    lanes.collect()
}

/// The watched signals of one run: `step`, `time`, and each lane.
pub struct Record {
    table: Box<dyn Table>,
    delta: f64,
    /// How many are watched for the table; others may be behind them.
    signals: usize,
    row: Vec<f64>,
}

impl Record {
    /// Begins a table for signals, each with its number of lanes.
    ///
    /// # Errors
    /// As [`create`].
    pub fn create(path: &Path, delta: f64, signals: &[(String, usize)]) -> Result<Record, TableError> {
        let names: Vec<String> = std::iter::once("time".to_owned()).chain(lane_names(signals)).collect();
        Ok(Record { table: create(path, &["step"], &names)?, delta, signals: signals.len(), row: Vec::new() })
    }

    /// Appends the steps that the samples hold.
    ///
    /// # Errors
    /// Where the disk does not take them.
    pub fn append(&mut self, samples: &Samples) -> io::Result<()> {
        for place in 0..samples.len() {
            let step = samples.first() + place as u64;
            self.row.clear();
            self.row.push(step as f64 * self.delta);
            for watch in samples.watches().iter().take(self.signals) {
                let width = watch.values.len() / samples.len();
                self.row.extend_from_slice(&watch.values[place * width..(place + 1) * width]);
            }
            self.table.row(&[step as i64], &self.row)?;
        }
        Ok(())
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Where that fails; the file that was there before is as it was.
    pub fn finish(self) -> io::Result<()> {
        self.table.finish()
    }
}
