//! Reads tables of numbers from CSV (with comma, semicolon or tab, and decimal point or comma) and WAV files, and from
//! arrays of NumPy and MATLAB.

use std::io::Cursor;
use std::path::Path;

use super::arrays::{ArrayError, NamedArray, read_mat, read_npy, read_npz};
use super::disk::read_bounded;
use crate::block::{DataColumn, DataTable, FileError, TableError};

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 30;

/// Reads a table from a file that a user has named; what blocks read is for [`super::Folder`] to allow.
///
/// # Errors
/// If the file cannot be read, or has no table of numbers.
pub fn read_table(path: &Path) -> Result<DataTable, FileError> {
    let bytes =
        read_bounded(path, MAX_BYTES).map_err(|error| FileError::Unreadable { error, path: path.to_owned() })?;
    read(&bytes).map_err(|error| FileError::Table { error, path: path.to_owned() })
}

/// Reads a table from the content of a file.
pub(super) fn read(bytes: &[u8]) -> Result<DataTable, TableError> {
    let arrays = |read: Result<Vec<NamedArray>, ArrayError>| match read {
        Ok(arrays) => Ok(table_of(&arrays)),
        Err(error) => Err(TableError::Arrays(error.to_string())),
    };
    match bytes {
        [b'R', b'I', b'F', b'F' | b'X', ..] => read_wav(bytes),
        [b'P', b'K', 3 | 5, ..] => arrays(read_npz(bytes)),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => arrays(read_npy("", bytes).map(Vec::from_iter)),
        _ if bytes.starts_with(b"MATLAB ") && bytes.contains(&0) => arrays(read_mat(bytes)),
        _ => read_csv(bytes),
    }
}

/// Returns the table of arrays with a row for each time: the array `time` says how many there are, without one the
/// longest array. Arrays of other lengths are left out. A column of a matrix is called `name[0]`, as an element of a
/// signal is; those of a matrix without a name, by their numbers from 1.
fn table_of(arrays: &[NamedArray]) -> DataTable {
    let time = arrays.iter().find(|array| ["time", "t"].contains(&array.name.to_lowercase().as_str()));
    let rows = time.or_else(|| arrays.iter().max_by_key(|array| array.rows)).map_or(0, |array| array.rows);
    let fitting = arrays.iter().filter(|array| array.rows == rows);
    let columns = fitting.flat_map(|array| {
        (0..array.width()).map(|column| DataColumn {
            name: match (array.columns, &*array.name) {
                (None, "") => "1".to_owned(),
                (None, name) => name.to_owned(),
                (Some(_), "") => (column + 1).to_string(),
                (Some(_), name) => format!("{name}[{column}]"),
            },
            values: array.column(column),
        })
    });
    DataTable { columns: columns.collect(), interval: None }
}

/// Reads WAV samples; integer samples are scaled to −1 … 1.
fn read_wav(bytes: &[u8]) -> Result<DataTable, TableError> {
    let broken = |error: hound::Error| TableError::Wav(error.to_string());
    let mut reader = hound::WavReader::new(Cursor::new(bytes)).map_err(broken)?;
    let hound::WavSpec { channels, sample_rate, bits_per_sample, sample_format } = reader.spec();
    if sample_rate == 0 {
        return Err(TableError::NoSampleRate);
    }
    let samples: Vec<f64> = match sample_format {
        hound::SampleFormat::Float => {
            reader.samples::<f32>().map(|sample| sample.map(f64::from)).collect::<Result<_, _>>().map_err(broken)?
        }
        hound::SampleFormat::Int => {
            let full = 2f64.powi(i32::from(bits_per_sample) - 1);
            let samples = reader.samples::<i32>().map(|sample| sample.map(|sample| f64::from(sample) / full));
            samples.collect::<Result<_, _>>().map_err(broken)?
        }
    };
    let channels = usize::from(channels).max(1);
    let column = |channel: usize| DataColumn {
        name: (channel + 1).to_string(),
        values: samples.iter().skip(channel).step_by(channels).copied().collect(),
    };
    Ok(DataTable { columns: (0..channels).map(column).collect(), interval: Some(1.0 / f64::from(sample_rate)) })
}

fn read_csv(bytes: &[u8]) -> Result<DataTable, TableError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.contains(&0) {
        return Err(TableError::Binary);
    }
    let delimiter = delimiter(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(bytes);
    let mut table = DataTable::default();
    let mut record = csv::ByteRecord::new();
    let mut is_first = true;
    while reader.read_byte_record(&mut record).map_err(|error| csv_problem(&error))? {
        let line = record.position().map_or(0, csv::Position::line);
        if std::mem::take(&mut is_first) {
            let is_heading = record.iter().any(|cell| !cell.is_empty() && number(cell, delimiter).is_none());
            let name = |(cell, index): (&[u8], usize)| match is_heading {
                true => String::from_utf8_lossy(cell).into_owned(),
                false => index.to_string(),
            };
            let column = |name| DataColumn { name, values: Vec::new() };
            table.columns = record.iter().zip(1..).map(|cell| column(name(cell))).collect();
            if is_heading {
                continue;
            }
        }
        for (cell, column) in record.iter().zip(&mut table.columns) {
            let problem = || {
                let text = String::from_utf8_lossy(cell).into_owned();
                TableError::NotANumber { line, column: column.name.clone(), text }
            };
            let value = number(cell, delimiter).ok_or_else(problem)?;
            column.values.push(value);
        }
    }
    Ok(table)
}

fn csv_problem(error: &csv::Error) -> TableError {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            TableError::UnequalLengths { line, cells: *len, expected: *expected_len }
        }
        _ => TableError::Csv(error.to_string()),
    }
}

/// Finds the delimiter: the most frequent of comma, semicolon and tab in the first line; a semicolon or tab takes
/// precedence over a comma, which may be a decimal comma.
fn delimiter(bytes: &[u8]) -> u8 {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#"));
    let first = lines.into_iter().find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    [b';', b'\t'].into_iter().find(|delimiter| first.contains(delimiter)).unwrap_or(b',')
}

/// Parses a cell; an empty cell is not-a-number.
fn number(cell: &[u8], delimiter: u8) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    if text.is_empty() {
        return Some(f64::NAN);
    }
    match text.parse() {
        Ok(number) => Some(number),
        Err(_) if delimiter != b',' => text.replace(',', ".").parse().ok(),
        Err(_) => None,
    }
}
