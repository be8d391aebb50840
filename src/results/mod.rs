//! Writes results as a table with one row for each step, or for each step of each run: .csv, .parquet, .npz and .mat. The
//! file appears when it is complete, and takes less than 20 MB of memory until then, whatever its length: the rest is
//! in a temporary file beside it. This layer knows the engine's samples, but neither the window nor the command line.
//!
//! [`read_table`] reads the numbers of such files, and of others that blocks read.
//!
//! A file says where its numbers come from, as JSON ([`Provenance`]): in the metadata of .parquet files under
//! [`ORIGIN_KEY`], in .npz and .mat files as the text `provenance`, and in .csv files on a first line that begins with `#`.

mod arrays;
mod columns;
mod csv;
mod parquet;
mod provenance;
mod read;

use std::io;
use std::path::Path;

use self::arrays::{ArrayFormat, Arrays};
use self::csv::Csv;
pub use self::csv::Text;
use self::parquet::Parquet;
pub use self::provenance::Provenance;
pub use self::read::{ReadTableError, read_table};
use crate::block::{SignalType, element_names};
use crate::engine::Samples;

/// A table that is being written: first integer columns, then floating-point columns.
pub trait Table {
    /// Appends a row. An unset number ([`crate::engine::UNSET`]) becomes an empty cell.
    ///
    /// # Errors
    /// If writing fails.
    fn row(&mut self, integers: &[i64], numbers: &[f64]) -> io::Result<()>;

    /// Completes the file and moves it to its path.
    ///
    /// # Errors
    /// If that fails; an existing file is then unchanged.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// The key of the origin in the metadata of .parquet files.
pub const ORIGIN_KEY: &str = "simulate.provenance";

/// Further contents of a written table, besides its columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableOptions<'a> {
    pub numbers: Numbers,
    pub marks: Marks,
    /// Where the numbers come from.
    pub origin: Option<&'a Provenance>,
    /// The number of rows if it is known: a format that cannot hold them refuses before the first one.
    pub rows: Option<u64>,
}

/// How a .csv file separates values and writes decimals; other files have neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// An ASCII character between values, another one than `decimal`.
    pub separator: u8,
    /// A point or a comma.
    pub decimal: u8,
}

impl Default for Marks {
    fn default() -> Marks {
        Marks { separator: b',', decimal: b'.' }
    }
}

impl Marks {
    /// Returns the text of a number with the decimal mark in place of the point.
    pub fn with_decimal(self, number: String) -> String {
        match self.decimal {
            b'.' => number,
            mark => number.replace('.', char::from(mark).encode_utf8(&mut [0; 4])),
        }
    }
}

/// How comma-separated values write numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// The shortest decimal with the same bits.
    #[default]
    Decimal,
    /// Hexadecimal floating-point constants of C99, as [`crate::block::hex_text`] writes them.
    Hexadecimal,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    #[error("{0}: the extension must be .csv, .parquet, .npz or .mat")]
    Extension(String),
    #[error("{0}: the file cannot be written: {1}")]
    Unwritable(String, io::Error),
}

/// Begins a table in the format of the extension.
///
/// # Errors
/// If the extension is unknown or the file cannot be created.
pub fn create(path: &Path, integers: &[&str], numbers: &[String]) -> Result<Box<dyn Table>, TableError> {
    create_as(path, integers, numbers, TableOptions::default())
}

/// Begins a table with options; other files than .csv hold the bits of numbers in any case.
///
/// # Errors
/// The same as for [`create`].
pub fn create_as(
    path: &Path,
    integers: &[&str],
    numbers: &[String],
    options: TableOptions,
) -> Result<Box<dyn Table>, TableError> {
    let signals: Vec<(String, SignalType)> = numbers.iter().map(|name| (name.clone(), SignalType::plain(1))).collect();
    create_of(path, integers, &signals, options)
}

/// Begins a table of signals, each with its type: a column for each element, in files of arrays an array for each signal.
fn create_of(
    path: &Path,
    integers: &[&str],
    signals: &[(String, SignalType)],
    options: TableOptions,
) -> Result<Box<dyn Table>, TableError> {
    let origin = options.origin.map(Provenance::json);
    let numbers = &signals.iter().flat_map(|(name, of)| element_names(name, of)).collect::<Vec<_>>();
    let arrays = |format| {
        let numbers = signals.iter().map(|(name, of)| (name.clone(), of.width)).collect();
        let file = crate::format::begin(path).map_err(|error| unwritable(path, error))?;
        let arrays = Arrays::begin(file, format, integers, numbers, (options.rows, origin.clone()));
        Ok(Box::new(arrays.map_err(|error| unwritable(path, error))?) as Box<dyn Table>)
    };
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let unwritable = |error: io::Error| unwritable(path, error);
    let open = || crate::format::begin(path);
    match extension.as_deref() {
        Some("csv") => {
            let begin = |file| Csv::begin(file, integers, numbers, (options.numbers, options.marks, origin.as_deref()));
            Ok(Box::new(open().and_then(begin).map_err(unwritable)?))
        }
        Some("parquet") => {
            let begin = |file| Parquet::begin(file, integers, numbers, origin.clone());
            Ok(Box::new(open().and_then(begin).map_err(unwritable)?))
        }
        Some("npz") => arrays(ArrayFormat::Npz),
        Some("mat") => arrays(ArrayFormat::Mat),
        _ => Err(TableError::Extension(path.display().to_string())),
    }
}

fn unwritable(path: &Path, error: io::Error) -> TableError {
    TableError::Unwritable(path.display().to_string(), error)
}

/// The recorded signals of one run: `step`, `time`, and one column for each element.
pub struct RunTable {
    table: Box<dyn Table>,
    delta: f64,
    /// The number of recorded signals in the table; the samples may have more after them.
    signals: usize,
    row: Vec<f64>,
}

impl RunTable {
    /// Begins a table for signals, each with its type.
    ///
    /// # Errors
    /// The same as for [`create`].
    pub fn create(
        path: &Path,
        delta: f64,
        signals: &[(String, SignalType)],
        options: TableOptions,
    ) -> Result<RunTable, TableError> {
        let time = [("time".to_owned(), SignalType::plain(1))];
        Ok(RunTable {
            table: create_of(path, &["step"], &[&time, signals].concat(), options)?,
            delta,
            signals: signals.len(),
            row: Vec::new(),
        })
    }

    /// Appends the steps of the samples.
    ///
    /// # Errors
    /// If writing fails.
    pub fn append(&mut self, samples: &Samples) -> io::Result<()> {
        for row in 0..samples.len() {
            let step = samples.first() + row as u64;
            self.row.clear();
            self.row.push(step as f64 * self.delta);
            for watch in samples.watches().iter().take(self.signals) {
                let width = watch.values.len() / samples.len();
                self.row.extend_from_slice(&watch.values[row * width..(row + 1) * width]);
            }
            self.table.row(&[step as i64], &self.row)?;
        }
        Ok(())
    }

    /// Completes the file and moves it to its path.
    ///
    /// # Errors
    /// If that fails; an existing file is then unchanged.
    pub fn finish(self) -> io::Result<()> {
        self.table.finish()
    }
}
