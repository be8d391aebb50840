//! Files as blocks see them. This layer opens none: whoever compiles a simulation says where they are.

use std::fmt::Debug;
use std::sync::Arc;

/// Where the files are that blocks name.
pub trait Files: Debug + Send + Sync {
    /// All numbers of a file.
    ///
    /// # Errors
    /// Where it cannot be read, as a sentence without a full stop.
    fn table(&self, path: &str) -> Result<Arc<DataTable>, String>;

    /// Begins a file with these columns, in place of one that is there.
    ///
    /// # Errors
    /// Where it cannot be made, as a sentence without a full stop.
    fn create(&self, path: &str, columns: &[String]) -> Result<Box<dyn RowWriter>, String>;
}

/// A file that is being written, row by row. It is in its place when it is finished; dropped before, it never was.
pub trait RowWriter: Send {
    /// A number for each column, none where there is no value.
    ///
    /// # Errors
    /// Where the disk does not take it.
    fn row(&mut self, cells: &[Option<f64>]) -> Result<(), String>;

    /// # Errors
    /// Where the file cannot be put in its place.
    fn finish(self: Box<Self>) -> Result<(), String>;
}

/// The numbers of a file, column by column, all of one length; an empty cell is not-a-number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataTable {
    pub columns: Vec<DataColumn>,
    /// Seconds from row to row, where the file says so by itself.
    pub interval: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataColumn {
    /// Its heading; where it has none its number, from 1.
    pub name: String,
    pub values: Vec<f64>,
}

impl DataTable {
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// A column by its heading, else by its number from 1.
    pub fn column(&self, wanted: &str) -> Option<&DataColumn> {
        let by_name = self.columns.iter().find(|column| column.name == wanted);
        let number = || wanted.parse::<usize>().ok()?.checked_sub(1);
        by_name.or_else(|| self.columns.get(number()?))
    }
}

/// There are none.
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
