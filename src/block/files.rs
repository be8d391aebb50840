//! Access to files for blocks. This layer opens no file: the caller that compiles a simulation provides the access.

use std::fmt::Debug;
use std::sync::Arc;

/// Provides the files that blocks name.
pub trait Files: Debug + Send + Sync {
    /// Reads all numbers of a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, with a sentence without a full stop.
    fn table(&self, path: &str) -> Result<Arc<DataTable>, String>;

    /// Creates a file with these columns, which replaces an existing one.
    ///
    /// # Errors
    /// Fails if the file cannot be created, with a sentence without a full stop.
    fn create(&self, path: &str, columns: &[String]) -> Result<Box<dyn RowWriter>, String>;
}

/// Writes a file row by row. The file appears under its name only when it is finished.
pub trait RowWriter: Send {
    /// Writes a row with a cell for each column, empty where there is no value.
    ///
    /// # Errors
    /// Fails if the row cannot be written.
    fn row(&mut self, cells: &[Option<f64>]) -> Result<(), String>;

    /// Moves the file to its name.
    ///
    /// # Errors
    /// Fails if the file cannot be moved.
    fn finish(self: Box<Self>) -> Result<(), String>;
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
    fn table(&self, _: &str) -> Result<Arc<DataTable>, String> {
        Err("files are not available here".to_owned())
    }

    fn create(&self, _: &str, _: &[String]) -> Result<Box<dyn RowWriter>, String> {
        Err("files are not available here".to_owned())
    }
}
