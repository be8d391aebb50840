//! Writes tables as Apache Parquet: binary columns, for data frames.

use std::io;
use std::sync::Arc;

use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::{ORIGIN_KEY, Table};
use crate::engine::is_unset;
use crate::format::NewFile;

/// The number of rows in a row group.
const GROUP: usize = 1 << 16;

pub(super) struct Parquet {
    writer: SerializedFileWriter<NewFile>,
    rows: usize,
    /// The values of the current row group, by column.
    integers: Vec<Vec<i64>>,
    numbers: Vec<Numbers>,
}

/// A floating-point column without its unset values.
#[derive(Clone, Default)]
struct Numbers {
    values: Vec<f64>,
    /// The definition levels: 1 for a value, 0 for an unset one.
    is_set: Vec<i16>,
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
            rows: 0,
            integers: vec![Vec::new(); integers.len()],
            numbers: vec![Numbers::default(); numbers.len()],
        })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for values in &mut self.integers {
            if let Some(mut column) = group.next_column()? {
                column.typed::<Int64Type>().write_batch(values, None, None)?;
                column.close()?;
            }
            values.clear();
        }
        for Numbers { values, is_set } in &mut self.numbers {
            if let Some(mut column) = group.next_column()? {
                column.typed::<DoubleType>().write_batch(values, Some(is_set), None)?;
                column.close()?;
            }
            values.clear();
            is_set.clear();
        }
        self.rows = 0;
        group.close()?;
        Ok(())
    }
}

impl Table for Parquet {
    fn row(&mut self, integers: &[i64], numbers: &[f64]) -> io::Result<()> {
        for (column, value) in self.integers.iter_mut().zip(integers) {
            column.push(*value);
        }
        for (column, value) in self.numbers.iter_mut().zip(numbers) {
            let is_set = !is_unset(*value);
            column.is_set.push(i16::from(is_set));
            column.values.extend(is_set.then_some(*value));
        }
        self.rows += 1;
        match self.rows {
            GROUP => self.write_group().map_err(io::Error::other),
            _ => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.write_group().map_err(io::Error::other)?;
        self.writer.into_inner().map_err(io::Error::other)?.commit()
    }
}
