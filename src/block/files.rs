//! Access to files for blocks. This layer opens no file: the caller that compiles a simulation provides the access.

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::{CallError, ForeignDescription, ForeignModel, ForeignUse};

/// Provides the files that blocks name.
pub trait Files: Debug + Send + Sync {
    /// Reads all numbers of a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    fn table(&self, path: &str) -> Result<Arc<DataTable>, FileError>;

    /// Creates a file with these columns, which replaces an existing one.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    fn create(&self, path: &str, columns: &[String]) -> Result<Box<dyn RowWriter>, FileError>;

    /// Returns the real paths of the files that were read so far, which must not be replaced meanwhile.
    fn read_files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Prepares the model in an FMU. Its code runs when the functions are called.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is no FMU, has other variables, or may not run.
    fn foreign(&self, _path: &str, _wanted: &ForeignUse) -> Result<ForeignModel, FileError> {
        Err(FileError::Unavailable)
    }

    /// Returns the FMU's description from the last time that it was read, without accessing the file.
    fn foreign_description(&self, _path: &str) -> Option<Arc<ForeignDescription>> {
        None
    }
}

/// Why a file cannot be read or written; the message ends with its path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    #[error("files are not available here")]
    Unavailable,
    #[error("the file name is missing")]
    NoName,
    #[error("the file name must end with .csv: {0}")]
    NotCsv(PathBuf),
    #[error(
        "the file is outside the simulation's folder, where reading is not allowed (use --allow-read DIR on the command \
         line): {0}"
    )]
    ReadRefused(PathBuf),
    #[error(
        "the file is outside the simulation's folder, where writing is not allowed (use --allow-write DIR on the \
         command line): {0}"
    )]
    WriteRefused(PathBuf),
    #[error("Windows keeps this name for a device or for a part of another file: {0}")]
    Reserved(PathBuf),
    #[error("this is not a regular file: {0}")]
    NotRegular(PathBuf),
    #[error("the file is longer than {limit} bytes: {path}")]
    TooLong { limit: u64, path: PathBuf },
    #[error("the file cannot be read: {error}: {path}")]
    Unreadable { error: io::Error, path: PathBuf },
    #[error("{error}: {path}")]
    Table { error: TableError, path: PathBuf },
    #[error(
        "the code of this FMU may not run here yet: allow it if you trust who made it (--allow-fmu FILE on the command \
         line): {0}"
    )]
    CodeRefused(PathBuf),
    #[error("the file is {found}, and a table would replace it; name another file: {path}")]
    OtherKind { found: &'static str, path: PathBuf },
    #[error("{problem}: {path}")]
    Foreign { problem: CallError, path: PathBuf },
    #[error("the file cannot be written: {error}: {path}")]
    Unwritable { error: io::Error, path: PathBuf },
}

/// Why the content of a file is not a table of numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    #[error("the file is neither text nor WAV, .npz, .npy or .mat")]
    Binary,
    #[error("the WAV file cannot be read: {0}")]
    Wav(String),
    #[error("the WAV file has a sample rate of 0")]
    NoSampleRate,
    #[error("the file cannot be parsed: {0}")]
    Csv(String),
    #[error("line {line} has {cells} cells, but the lines before have {expected}")]
    UnequalLengths { line: u64, cells: u64, expected: u64 },
    #[error("line {line}, column “{column}”: “{text}” is not a number")]
    NotANumber { line: u64, column: String, text: String },
    #[error("the arrays cannot be read: {0}")]
    Arrays(String),
}

/// Writes a file row by row. The file appears under its name only when it is finished.
pub trait RowWriter: Send {
    /// Writes a row with a cell for each column, empty where there is no value.
    ///
    /// # Errors
    /// Fails if the row cannot be written.
    fn row(&mut self, cells: &[Option<f64>]) -> Result<(), FileError>;

    /// Moves the file to its name.
    ///
    /// # Errors
    /// Fails if the file cannot be moved.
    fn finish(self: Box<Self>) -> Result<(), FileError>;
}

/// The numbers of a file in columns of equal length; an empty cell is not-a-number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataTable {
    pub columns: Vec<DataColumn>,
    /// The time from row to row in seconds, where the file defines it.
    pub interval: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataColumn {
    /// The heading, or without one the number of the column from 1.
    pub name: String,
    pub values: Vec<f64>,
}

impl DataTable {
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Returns a column by its heading, else by its number from 1.
    pub fn column(&self, wanted: &str) -> Option<&DataColumn> {
        let by_name = self.columns.iter().find(|column| column.name == wanted);
        let number = || wanted.parse::<usize>().ok()?.checked_sub(1);
        by_name.or_else(|| self.columns.get(number()?))
    }
}

/// Provides no files.
#[derive(Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn table(&self, _: &str) -> Result<Arc<DataTable>, FileError> {
        Err(FileError::Unavailable)
    }

    fn create(&self, _: &str, _: &[String]) -> Result<Box<dyn RowWriter>, FileError> {
        Err(FileError::Unavailable)
    }
}
