//! Results as named arrays, .npz and .mat: one array for each signal, with a row for each step. They are kept in memory
//! until the table is complete, since the files begin with their size.

use std::io::{self, BufWriter};

use super::Table;
use crate::engine::is_unset;
use crate::format::NewFile;
use crate::format::arrays::{ArrayError, ArrayValues, NamedArray, ORIGIN, write_mat, write_npz};

/// A file format of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayFormat {
    Npz,
    Mat,
}

pub(super) struct Arrays {
    file: NewFile,
    format: ArrayFormat,
    integers: Vec<(String, Vec<i64>)>,
    /// The name, the width and the values of each signal.
    numbers: Vec<(String, usize, Vec<f64>)>,
    origin: Option<String>,
}

impl Arrays {
    /// Begins a file with signals of these widths.
    pub(super) fn begin(
        file: NewFile,
        format: ArrayFormat,
        integers: &[&str],
        numbers: Vec<(String, usize)>,
        origin: Option<String>,
    ) -> Arrays {
        let integers = integers.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
        let numbers = numbers.into_iter().map(|(name, width)| (name, width, Vec::new())).collect();
        Arrays { file, format, integers, numbers, origin }
    }
}

impl Table for Arrays {
    fn row(&mut self, integers: &[i64], numbers: &[f64]) -> io::Result<()> {
        for ((_, column), value) in self.integers.iter_mut().zip(integers) {
            column.push(*value);
        }
        let mut rest = numbers;
        for (_, width, column) in &mut self.numbers {
            let (own, others) = rest.split_at((*width).min(rest.len()));
            rest = others;
            column.extend(own.iter().map(|&value| if is_unset(value) { f64::NAN } else { value }));
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let Arrays { file, format, integers, numbers, origin } = *self;
        let integers = integers.into_iter().map(|(name, values)| NamedArray::integers(&name, values));
        let numbers = numbers.into_iter().map(|(name, width, values)| match width {
            1 => NamedArray::vector(&name, values),
            _ => NamedArray {
                name,
                rows: values.len().checked_div(width).unwrap_or(0),
                columns: Some(width),
                values: ArrayValues::Numbers(values),
            },
        });
        let arrays: Vec<NamedArray> = integers.chain(numbers).collect();
        let texts: Vec<(&str, &str)> = origin.as_deref().map(|origin| (ORIGIN, origin)).into_iter().collect();
        let mut writer = BufWriter::new(file);
        let written = match format {
            ArrayFormat::Npz => write_npz(&mut writer, &arrays, &texts),
            ArrayFormat::Mat => write_mat(&mut writer, &arrays, &texts),
        };
        written.map_err(|error| match error {
            ArrayError::Io(error) => error,
            error => io::Error::other(error.to_string()),
        })?;
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
    }
}
