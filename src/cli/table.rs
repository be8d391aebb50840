//! The recorded signals as a file: one row a step, one column a lane.

use std::io::{self, BufWriter};
use std::path::Path;

use atomic_write_file::AtomicWriteFile;

use crate::engine::{Samples, is_unset};

/// A CSV file that appears when it is complete.
pub struct Table {
    writer: csv::Writer<BufWriter<AtomicWriteFile>>,
    delta: f64,
}

#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("{0}: only .csv can be written")]
    Extension(String),
    #[error("{0}: the file cannot be written: {1}")]
    Unwritable(String, io::Error),
}

impl Table {
    /// Begins a file with the columns `step`, `time` and the signals, each with its number of lanes.
    ///
    /// # Errors
    /// Where the extension is another or the file cannot be made.
    pub fn create(path: &Path, delta: f64, signals: &[(String, usize)]) -> Result<Table, TableError> {
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
            return Err(TableError::Extension(path.display().to_string()));
        }
        let unwritable = |error: io::Error| TableError::Unwritable(path.display().to_string(), error);
        let file = AtomicWriteFile::open(path).map_err(unwritable)?;
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        let lanes = signals.iter().flat_map(|(name, width)| match width {
            1 => vec![name.clone()],
            _ => (0..*width).map(|lane| format!("{name}[{lane}]")).collect(),
        });
        let header = ["step".to_owned(), "time".to_owned()].into_iter().chain(lanes);
        writer.write_record(header).map_err(|error| unwritable(error.into()))?;
        Ok(Table { writer, delta })
    }

    /// Appends the steps that the samples hold.
    ///
    /// # Errors
    /// Where the disk does not take them.
    pub fn append(&mut self, samples: &Samples) -> io::Result<()> {
        for row in 0..samples.len() {
            let step = samples.first() + row as u64;
            self.writer.write_field(step.to_string())?;
            self.writer.write_field(number(step as f64 * self.delta))?;
            for watch in samples.watches() {
                let width = watch.values.len() / samples.len();
                for value in &watch.values[row * width..(row + 1) * width] {
                    self.writer.write_field(number(*value))?;
                }
            }
            self.writer.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// Where that fails; the file that was there before is as it was.
    pub fn finish(self) -> io::Result<()> {
        let buffer = self.writer.into_inner().map_err(|error| error.into_error())?;
        buffer.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
    }
}

/// The shortest text that reads back to the same bits; empty where nothing was set.
fn number(value: f64) -> String {
    match value {
        value if is_unset(value) => String::new(),
        value if value.is_nan() => "nan".to_owned(),
        value => value.to_string(),
    }
}
