//! Writes tables as Apache Parquet: binary columns, for data frames.

use std::io;
use std::sync::Arc;

use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::columns::Columns;
use super::{ORIGIN_KEY, Table};
use crate::engine::is_unset;
use crate::format::NewFile;

/// The number of rows in a row group. Each group takes about a kilobyte of memory a column until the file is complete.
const GROUP: usize = 1 << 16;

/// The number of elements that are encoded at once.
const PAGE: usize = 1 << 13;

pub(super) struct Parquet {
    writer: SerializedFileWriter<NewFile>,
    /// The current row group: the integers, then the numbers.
    columns: Columns,
    integers: usize,
    width: usize,
}

impl Parquet {
    pub(super) fn begin(
        file: NewFile,
        integers: &[&str],
        numbers: &[String],
        origin: Option<String>,
    ) -> io::Result<Parquet> {
        let field = |name: &str, physical, repetition| -> Result<TypePtr, ParquetError> {
            Type::primitive_type_builder(name, physical).with_repetition(repetition).build().map(Arc::new)
        };
        let schema = || {
            let integers = integers.iter().map(|name| field(name, Physical::INT64, Repetition::REQUIRED));
            let numbers = numbers.iter().map(|name| field(name, Physical::DOUBLE, Repetition::OPTIONAL));
            let fields = integers.chain(numbers).collect::<Result<Vec<_>, _>>()?;
            let schema = Type::group_type_builder("simulate").with_fields(fields).build()?;
            let origin = origin.map(|origin| vec![KeyValue::new(ORIGIN_KEY.to_owned(), origin)]);
            let properties = WriterProperties::builder().set_key_value_metadata(origin).build();
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
        };
        Ok(Parquet {
            writer: schema().map_err(io::Error::other)?,
            columns: Columns::new(std::iter::repeat_n(1, integers.len() + numbers.len())),
            integers: integers.len(),
            width: integers.len() + numbers.len(),
        })
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.columns.rows() == 0 {
            return Ok(());
        }
        self.columns.end(self.writer.inner())?;
        let mut group = self.writer.next_row_group().map_err(plain)?;
        for number in 0..self.width {
            let Some(mut column) = group.next_column().map_err(plain)? else { continue };
            self.columns.read(number, |elements| {
                // A page at a time.
                elements.chunks(PAGE).try_for_each(|elements| {
                    match number < self.integers {
                        true => write_integers(&mut column, elements),
                        false => write_numbers(&mut column, elements),
                    }
                    .map_err(plain)
                })
            })?;
            column.close().map_err(plain)?;
        }
        self.columns.clear();
        group.close().map_err(plain)?;
        Ok(())
    }
}

fn write_integers(column: &mut SerializedColumnWriter, elements: &[u64]) -> Result<(), ParquetError> {
    let values: Vec<i64> = elements.iter().map(|element| *element as i64).collect();
    column.typed::<Int64Type>().write_batch(&values, None, None)?;
    Ok(())
}

fn write_numbers(column: &mut SerializedColumnWriter, elements: &[u64]) -> Result<(), ParquetError> {
    let numbers = elements.iter().map(|element| f64::from_bits(*element));
    let values: Vec<f64> = numbers.clone().filter(|value| !is_unset(*value)).collect();
    // The definition levels: 1 for a value, 0 for an unset one.
    let levels: Vec<i16> = numbers.map(|value| i16::from(!is_unset(value))).collect();
    column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
    Ok(())
}

/// Returns the error of the file itself, which says what to do.
fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(inner) => io::Error::other(inner),
        },
        error => io::Error::other(error),
    }
}

impl Table for Parquet {
    fn row(&mut self, integers: &[i64], numbers: &[f64]) -> io::Result<()> {
        let row = integers.iter().map(|value| *value as u64).chain(numbers.iter().map(|value| value.to_bits()));
        self.columns.push(row, self.writer.inner())?;
        if self.columns.rows() == GROUP { self.write_group() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.write_group()?;
        self.writer.into_inner().map_err(plain)?.commit()
    }
}
