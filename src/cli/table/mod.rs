//! The recorded signals as a file: one row a step, one column a lane. The file appears when it is complete.

mod csv;
mod parquet;

use std::io;
use std::path::Path;

use atomic_write_file::AtomicWriteFile;

use self::csv::Csv;
use self::parquet::Parquet;
use crate::engine::Samples;

/// A table that is being written.
pub trait Table {
    /// Appends the steps that the samples hold.
    ///
    /// # Errors
    /// Where the disk does not take them.
    fn append(&mut self, samples: &Samples) -> io::Result<()>;

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Where that fails; the file that was there before is as it was.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// One lane of a signal.
pub struct Column {
    pub name: String,
    /// The signal's place among the watched ones.
    pub signal: usize,
    pub lane: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("{0}: a table can be written as .csv or .parquet")]
    Extension(String),
    #[error("{0}: the file cannot be written: {1}")]
    Unwritable(String, io::Error),
}

/// Begins a table of the extension's format with the columns `step`, `time` and the signals, each with its number of
/// lanes.
///
/// # Errors
/// Where the extension is another or the file cannot be made.
pub fn create(path: &Path, delta: f64, signals: &[(String, usize)]) -> Result<Box<dyn Table>, TableError> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let columns = columns(signals);
    let unwritable = |error: io::Error| TableError::Unwritable(path.display().to_string(), error);
    let open = || AtomicWriteFile::open(path);
    match extension.as_deref() {
        Some("csv") => Ok(Box::new(open().and_then(|file| Csv::begin(file, delta, &columns)).map_err(unwritable)?)),
        Some("parquet") => {
            Ok(Box::new(open().and_then(|file| Parquet::begin(file, delta, columns)).map_err(unwritable)?))
        }
        _ => Err(TableError::Extension(path.display().to_string())),
    }
}

fn columns(signals: &[(String, usize)]) -> Vec<Column> {
    let lanes = signals.iter().enumerate().flat_map(|(signal, (name, width))| {
        (0..*width).map(move |lane| {
            let name = if *width == 1 { name.clone() } else { format!("{name}[{lane}]") };
            Column { name, signal, lane }
        })
    });
    lanes.collect()
}
