//! Comma-separated values: text that everything reads.

use std::io::{self, BufWriter};

use atomic_write_file::AtomicWriteFile;

use super::{Column, Table};
use crate::engine::{Samples, is_unset};

pub(super) struct Csv {
    writer: csv::Writer<BufWriter<AtomicWriteFile>>,
    delta: f64,
    /// How many are watched for the table.
    signals: usize,
}

impl Csv {
    pub(super) fn begin(file: AtomicWriteFile, delta: f64, columns: &[Column]) -> io::Result<Csv> {
        let mut writer = csv::Writer::from_writer(BufWriter::new(file));
        let header = ["step", "time"].into_iter().chain(columns.iter().map(|column| column.name.as_str()));
        writer.write_record(header)?;
        let signals = columns.last().map_or(0, |column| column.signal + 1);
        Ok(Csv { writer, delta, signals })
    }
}

impl Table for Csv {
    fn append(&mut self, samples: &Samples) -> io::Result<()> {
        for row in 0..samples.len() {
            let step = samples.first() + row as u64;
            self.writer.write_field(step.to_string())?;
            self.writer.write_field(number(step as f64 * self.delta))?;
            // Others may be watched behind them.
            for watch in samples.watches().iter().take(self.signals) {
                let width = watch.values.len() / samples.len();
                for value in &watch.values[row * width..(row + 1) * width] {
                    self.writer.write_field(number(*value))?;
                }
            }
            self.writer.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
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
