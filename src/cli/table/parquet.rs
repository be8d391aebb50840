//! Apache Parquet: columns of binary numbers, for data frames.

use std::io;
use std::sync::Arc;

use atomic_write_file::AtomicWriteFile;
use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::{Column, Table};
use crate::engine::{Samples, is_unset};

/// Rows that are kept before they are written together.
const GROUP: usize = 1 << 16;

pub(super) struct Parquet {
    writer: SerializedFileWriter<AtomicWriteFile>,
    delta: f64,
    columns: Vec<Column>,
    steps: Vec<i64>,
    lanes: Vec<Lane>,
}

/// A column's values since the last group; unset ones are left out.
#[derive(Clone, Default)]
struct Lane {
    values: Vec<f64>,
    /// 1 where there is a value, 0 where none was set.
    is_set: Vec<i16>,
}

impl Parquet {
    pub(super) fn begin(file: AtomicWriteFile, delta: f64, columns: Vec<Column>) -> io::Result<Parquet> {
        let field = |name: &str, physical, repetition| -> Result<TypePtr, ParquetError> {
            Type::primitive_type_builder(name, physical).with_repetition(repetition).build().map(Arc::new)
        };
        let schema = || {
            let mut fields = vec![
                field("step", Physical::INT64, Repetition::REQUIRED)?,
                field("time", Physical::DOUBLE, Repetition::REQUIRED)?,
            ];
            for column in &columns {
                fields.push(field(&column.name, Physical::DOUBLE, Repetition::OPTIONAL)?);
            }
            let schema = Type::group_type_builder("simulate").with_fields(fields).build()?;
            SerializedFileWriter::new(file, Arc::new(schema), Arc::new(WriterProperties::builder().build()))
        };
        let writer = schema().map_err(io::Error::other)?;
        let lanes = vec![Lane::default(); columns.len()];
        Ok(Parquet { writer, delta, columns, steps: Vec::new(), lanes })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.steps.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        if let Some(mut column) = group.next_column()? {
            column.typed::<Int64Type>().write_batch(&self.steps, None, None)?;
            column.close()?;
        }
        if let Some(mut column) = group.next_column()? {
            let times: Vec<f64> = self.steps.iter().map(|step| *step as f64 * self.delta).collect();
            column.typed::<DoubleType>().write_batch(&times, None, None)?;
            column.close()?;
        }
        for lane in &mut self.lanes {
            if let Some(mut column) = group.next_column()? {
                column.typed::<DoubleType>().write_batch(&lane.values, Some(&lane.is_set), None)?;
                column.close()?;
            }
            lane.values.clear();
            lane.is_set.clear();
        }
        self.steps.clear();
        group.close()?;
        Ok(())
    }
}

impl Table for Parquet {
    fn append(&mut self, samples: &Samples) -> io::Result<()> {
        let first = samples.first() as i64;
        self.steps.extend(first..first + samples.len() as i64);
        for (column, lane) in self.columns.iter().zip(&mut self.lanes) {
            let Some(watch) = samples.watches().get(column.signal) else { continue };
            let width = watch.values.len() / samples.len().max(1);
            for value in watch.values.iter().skip(column.lane).step_by(width.max(1)) {
                let is_set = !is_unset(*value);
                lane.is_set.push(i16::from(is_set));
                lane.values.extend(is_set.then_some(*value));
            }
        }
        if self.steps.len() >= GROUP {
            self.write_group().map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.write_group().map_err(io::Error::other)?;
        self.writer.into_inner().map_err(io::Error::other)?.commit()
    }
}
