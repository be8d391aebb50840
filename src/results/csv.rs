//! Writes tables as comma-separated values.

use std::io::{self, Write};

use super::{Marks, Numbers, Table};
use crate::block::hex_text;
use crate::engine::is_unset;
use crate::format::{LineFile, NewFile};

pub(super) struct Csv {
    writer: csv::Writer<LineFile>,
    form: Numbers,
    marks: Marks,
}

impl Csv {
    /// Begins a file, with its origin on a first line if there is one.
    pub(super) fn begin(
        file: NewFile,
        integers: &[&str],
        numbers: &[String],
        (form, marks, origin): (Numbers, Marks, Option<&str>),
    ) -> io::Result<Csv> {
        let mut begin = Vec::new();
        if let Some(origin) = origin {
            writeln!(begin, "# {origin}")?;
        }
        let separated = || {
            let mut builder = csv::WriterBuilder::new();
            builder.delimiter(marks.separator);
            builder
        };
        let mut heads = separated().from_writer(begin);
        head(&mut heads, integers, numbers)?;
        let begin = heads.into_inner().map_err(|error| error.into_error())?;
        let writer = separated().from_writer(LineFile::begin(file, &begin)?);
        Ok(Csv { writer, form, marks })
    }
}

impl Table for Csv {
    fn row(&mut self, integers: &[i64], numbers: &[f64]) -> io::Result<()> {
        row(&mut self.writer, integers, numbers, (self.form, self.marks))
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.writer.into_inner().map_err(|error| error.into_error())?.commit()
    }
}

/// A table in memory, for printing.
pub struct Text {
    writer: csv::Writer<Vec<u8>>,
    form: Numbers,
}

impl Text {
    pub fn begin(integers: &[&str], numbers: &[String], form: Numbers) -> Text {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory cannot fail.
        let _ = head(&mut writer, integers, numbers);
        Text { writer, form }
    }

    pub fn text(self) -> String {
        self.writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }
}

impl Table for Text {
    fn row(&mut self, integers: &[i64], numbers: &[f64]) -> io::Result<()> {
        row(&mut self.writer, integers, numbers, (self.form, Marks::default()))
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

fn head<W: Write>(writer: &mut csv::Writer<W>, integers: &[&str], numbers: &[String]) -> io::Result<()> {
    Ok(writer.write_record(integers.iter().copied().chain(numbers.iter().map(String::as_str)))?)
}

fn row<W: Write>(
    writer: &mut csv::Writer<W>,
    integers: &[i64],
    numbers: &[f64],
    (form, marks): (Numbers, Marks),
) -> io::Result<()> {
    for value in integers {
        writer.write_field(value.to_string())?;
    }
    for value in numbers {
        writer.write_field(marks.with_decimal(number(*value, form)))?;
    }
    Ok(writer.write_record(None::<&[u8]>)?)
}

/// Returns a text that parses to the same bits, the shortest decimal or a hexadecimal one; empty for an unset value.
fn number(value: f64, form: Numbers) -> String {
    match value {
        value if is_unset(value) => String::new(),
        value if value.is_nan() => "nan".to_owned(),
        value if form == Numbers::Hexadecimal => hex_text(value),
        value => value.to_string(),
    }
}
