//! Named arrays of numbers in files of other programs: .npz and .npy of NumPy, .mat of MATLAB (version 5).
//!
//! | module | contents |
//! |---|---|
//! | `npz` | NumPy's arrays, and archives of them |
//! | `mat` | the writer of MAT-files of version 5, and the names of variables |
//! | `read_mat` | the reader of MAT-files of version 5 to 7 |
//!
//! Reading skips all content of a file but real numbers: texts, structures, complex numbers.

mod mat;
mod npz;
mod read_mat;

pub use mat::{max_rows_of_mat, write_mat};
pub use npz::{read_npy, read_npz, write_npz};
pub use read_mat::read_mat;

/// The name of the text that says where results come from; no variable of a .mat file for a signal has it.
pub const ORIGIN: &str = "provenance";

/// An array that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayHead {
    pub name: String,
    pub rows: usize,
    /// The number of columns; none for a vector.
    pub columns: Option<usize>,
    pub kind: ElementKind,
}

/// The elements of an array that is to be written, 8 bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    Integer,
    Number,
}

impl ArrayHead {
    fn width(&self) -> usize {
        self.columns.unwrap_or(1)
    }
}

/// A vector or a matrix of numbers with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArray {
    pub name: String,
    pub rows: usize,
    /// The number of columns; none for a vector.
    pub columns: Option<usize>,
    pub values: ArrayValues,
}

/// The elements of an array, row after row.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayValues {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
}

impl NamedArray {
    pub fn vector(name: &str, values: Vec<f64>) -> NamedArray {
        NamedArray { name: name.to_owned(), rows: values.len(), columns: None, values: ArrayValues::Numbers(values) }
    }

    pub fn width(&self) -> usize {
        self.columns.unwrap_or(1)
    }

    /// Returns the numbers of a column; integers above 2⁵³ are rounded.
    pub fn column(&self, column: usize) -> Vec<f64> {
        let width = self.width().max(1);
        match &self.values {
            ArrayValues::Integers(values) => {
                values.iter().skip(column).step_by(width).map(|&value| value as f64).collect()
            }
            ArrayValues::Numbers(values) => values.iter().skip(column).step_by(width).copied().collect(),
        }
    }
}

/// Why arrays cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    #[error("{0}")]
    Broken(String),
    #[error("the arrays would take more than {} MB", MAX_BYTES >> 20)]
    TooLarge,
    #[error("“{0}” is longer than 2 GB, the limit of a variable in a .mat file; use .npz")]
    TooLong(String),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl ArrayError {
    fn broken(problem: impl Into<String>) -> ArrayError {
        ArrayError::Broken(problem.into())
    }
}

/// The maximum size of the arrays that are read from a file, in bytes: a small file may unpack to a large one.
const MAX_BYTES: usize = 1 << 31;

/// Which byte of a number is first in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

/// The kinds of numbers in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberKind {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl NumberKind {
    fn size(self) -> usize {
        match self {
            NumberKind::Signed(size) | NumberKind::Unsigned(size) | NumberKind::Float(size) => size,
        }
    }

    /// Returns the numbers of bytes of this kind.
    fn numbers(self, bytes: &[u8], order: ByteOrder) -> Vec<f64> {
        bytes.chunks_exact(self.size()).map(|chunk| self.number(chunk, order)).collect()
    }

    fn number(self, chunk: &[u8], order: ByteOrder) -> f64 {
        let mut little = [0; 8];
        let size = chunk.len().min(8);
        little[..size].copy_from_slice(&chunk[..size]);
        if order == ByteOrder::Big {
            little[..size].reverse();
        }
        let bits = u64::from_le_bytes(little);
        match self {
            NumberKind::Unsigned(_) => bits as f64,
            NumberKind::Signed(_) => {
                let shift = 64 - 8 * size as u32;
                (((bits << shift) as i64) >> shift) as f64
            }
            NumberKind::Float(4) => f64::from(f32::from_bits(bits as u32)),
            NumberKind::Float(2) => half(bits as u16),
            NumberKind::Float(_) => f64::from_bits(bits),
        }
    }
}

/// Returns the value of an IEEE 754 binary16 number.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
    let power = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
    sign * match exponent {
        0 => fraction * power(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction) * power(exponent - 15),
    }
}

/// Returns a matrix that is stored column after column, row after row.
fn by_rows(values: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (row, column)))
        .map(|(row, column)| values[column * rows + row])
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// The values are those of the standard's bit patterns, as NumPy prints them.
    #[test]
    fn numbers_of_each_kind_are_read() {
        assert_eq!(NumberKind::Signed(2).numbers(&[0xff, 0xfe, 0x00, 0x07], ByteOrder::Big), [-2.0, 7.0]);
        assert_eq!(NumberKind::Signed(1).numbers(&[0x80], ByteOrder::Little), [-128.0]);
        assert_eq!(NumberKind::Unsigned(4).numbers(&[1, 0, 0, 0x80], ByteOrder::Little), [2147483649.0]);
        assert_eq!(NumberKind::Float(4).numbers(&[0, 0, 0xc0, 0x3f], ByteOrder::Little), [1.5]);
        assert_eq!([0x3c00, 0xc000, 0x0001, 0x7bff].map(half), [1.0, -2.0, 5.960464477539063e-8, 65504.0]);
        assert_eq!(half(0xfc00), f64::NEG_INFINITY);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let head = |name: &str, rows, columns, kind| ArrayHead { name: name.to_owned(), rows, columns, kind };
        let heads = [
            head("step", 2, None, ElementKind::Integer),
            head("time", 2, None, ElementKind::Number),
            head("Plant/Motor#3.Output", 2, Some(3), ElementKind::Number),
        ];
        let columns = [
            vec![vec![0, 1]],
            vec![vec![0.0_f64.to_bits(), 0.5_f64.to_bits()]],
            [[1.0, f64::INFINITY], [-0.0, 5e-324], [f64::NAN, 1e300]]
                .map(|column| column.map(f64::to_bits).to_vec())
                .to_vec(),
        ];
        let texts = [("provenance", "{\"µ\": 1}")];
        let (mut npz, mut mat) = (Vec::new(), Vec::new());
        let by_rows = |array: usize, to: &mut dyn Write| {
            (0..2)
                .flat_map(|row| columns[array].iter().map(move |column| column[row]))
                .try_for_each(|element: u64| to.write_all(&element.to_le_bytes()))
        };
        let by_columns = |array: usize, to: &mut dyn Write| {
            columns[array].iter().flatten().try_for_each(|element| to.write_all(&element.to_le_bytes()))
        };
        write_npz(&mut npz, &heads, &texts, by_rows).unwrap();
        write_mat(&mut mat, &heads, &texts, by_columns).unwrap();
        // No data of subsystems, version 1 and little-endian numbers, as MATLAB's description of the format has them.
        assert_eq!(mat[116..128], [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, b'I', b'M']);
        for read in [read_npz(&npz).unwrap(), read_mat(&mat).unwrap()] {
            assert_eq!(read.len(), 3);
            for ((read, head), columns) in read.iter().zip(&heads).zip(&columns) {
                assert_eq!((&read.name, read.rows, read.width()), (&head.name, head.rows, head.width()));
                for (number, column) in columns.iter().enumerate() {
                    let bits = |value: &u64| {
                        if head.kind == ElementKind::Integer { (*value as f64).to_bits() } else { *value }
                    };
                    let found = read.column(number);
                    assert_eq!(
                        found.iter().map(|v| v.to_bits()).collect::<Vec<_>>(),
                        column.iter().map(bits).collect::<Vec<_>>(),
                        "{}",
                        read.name
                    );
                }
            }
        }
    }

    /// A variable of a .mat file is refused where it is too long, before its elements are asked for.
    #[test]
    fn a_variable_that_is_too_long_is_refused() {
        let write = |rows| {
            let head = ArrayHead { name: "a".to_owned(), rows, columns: Some(3), kind: ElementKind::Number };
            write_mat(std::io::sink(), &[head], &[], |_, _| Ok(()))
        };
        write(max_rows_of_mat(3)).expect("it is not too long");
        assert!(matches!(write(max_rows_of_mat(3) + 100), Err(ArrayError::TooLong(name)) if name == "a"));
    }
}
