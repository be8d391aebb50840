//! Results as named arrays, .npz and .mat: one array for each signal, with a row for each step. The files begin with their
//! size and lie array after array, so that they are written when the table is complete.

use std::io::{self, BufWriter, Write};

use super::Table;
use super::columns::{Columns, append};
use crate::engine::is_unset;
use crate::format::NewFile;
use crate::format::arrays::{ArrayError, ArrayHead, ElementKind, ORIGIN, max_rows_of_mat, write_mat, write_npz};

/// The number of elements that are written at once.
const BUFFER: usize = 1 << 13;

/// A file format of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayFormat {
    Npz,
    Mat,
}

pub(super) struct Arrays {
    file: NewFile,
    format: ArrayFormat,
    /// The integers, then the signals.
    arrays: Vec<ArrayHead>,
    /// The arrays of .npz files, the elements of the arrays of .mat files.
    columns: Columns,
    /// The number of rows that the format can hold, and the array that it is due to.
    limit: (usize, String),
    origin: Option<String>,
}

impl Arrays {
    /// Begins a file with signals of these widths, for a number of rows if it is known.
    ///
    /// # Errors
    /// If the format cannot hold this number of rows.
    pub(super) fn begin(
        file: NewFile,
        format: ArrayFormat,
        integers: &[&str],
        numbers: Vec<(String, usize)>,
        (rows, origin): (Option<u64>, Option<String>),
    ) -> io::Result<Arrays> {
        let head =
            |name, width, kind| ArrayHead { name, rows: 0, columns: Some(width).filter(|width| *width != 1), kind };
        let integers = integers.iter().map(|name| head((*name).to_owned(), 1, ElementKind::Integer));
        let numbers = numbers.into_iter().map(|(name, width)| head(name, width, ElementKind::Number));
        let arrays: Vec<ArrayHead> = integers.chain(numbers).collect();
        let widths = arrays.iter().map(|array| array.columns.unwrap_or(1));
        let columns = match format {
            ArrayFormat::Npz => Columns::new(widths.clone()),
            ArrayFormat::Mat => Columns::new(widths.clone().flat_map(|width| std::iter::repeat_n(1, width))),
        };
        let widest = widths.zip(&arrays).max_by_key(|(width, _)| *width);
        let limit = match (format, widest) {
            (ArrayFormat::Mat, Some((width, array))) => (max_rows_of_mat(width), array.name.clone()),
            _ => (usize::MAX, String::new()),
        };
        let arrays = Arrays { file, format, arrays, columns, limit, origin };
        arrays.check(rows.unwrap_or(0))?;
        Ok(arrays)
    }

    /// Refuses rows that the format cannot hold: at the end of a long run it would be too late.
    fn check(&self, rows: u64) -> io::Result<()> {
        let (limit, array) = &self.limit;
        if rows > *limit as u64 { Err(plain(ArrayError::TooLong(array.clone()))) } else { Ok(()) }
    }
}

impl Table for Arrays {
    fn row(&mut self, integers: &[i64], numbers: &[f64]) -> io::Result<()> {
        self.check(self.columns.rows() as u64 + 1)?;
        let number = |value: &f64| if is_unset(*value) { f64::NAN.to_bits() } else { value.to_bits() };
        let row = integers.iter().map(|value| *value as u64).chain(numbers.iter().map(number));
        self.columns.push(row, &self.file)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let Arrays { file, format, mut arrays, mut columns, origin, .. } = *self;
        columns.end(&file)?;
        arrays.iter_mut().for_each(|array| array.rows = columns.rows());
        let texts: Vec<(&str, &str)> = origin.as_deref().map(|origin| (ORIGIN, origin)).into_iter().collect();
        let mut ends = Vec::with_capacity(arrays.len());
        let mut end = 0;
        for array in &arrays {
            end += match format {
                ArrayFormat::Npz => 1,
                ArrayFormat::Mat => array.columns.unwrap_or(1),
            };
            ends.push(end);
        }
        let (mut next, mut bytes) = (0, Vec::new());
        let elements = |array: usize, to: &mut dyn Write| {
            let end = ends.get(array).copied().unwrap_or(next);
            for column in std::mem::replace(&mut next, end)..end {
                columns.read(column, |elements| {
                    elements.chunks(BUFFER).try_for_each(|elements| {
                        bytes.clear();
                        append(elements, &mut bytes);
                        to.write_all(&bytes)
                    })
                })?;
            }
            Ok(())
        };
        let mut writer = BufWriter::new(file);
        let written = match format {
            ArrayFormat::Npz => write_npz(&mut writer, &arrays, &texts, elements),
            ArrayFormat::Mat => write_mat(&mut writer, &arrays, &texts, elements),
        };
        written.map_err(plain)?;
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
    }
}

fn plain(error: ArrayError) -> io::Error {
    match error {
        ArrayError::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}
