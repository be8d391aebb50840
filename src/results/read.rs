//! Reads tables of numbers from files, Parquet included.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;

use crate::block::{DataColumn, DataTable, FileError};

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadTableError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the file cannot be read: {error}: {}", .path.display())]
    Parquet { error: ParquetError, path: PathBuf },
    #[error("the file has more than {MAX_CELLS} numbers: {}", .0.display())]
    TooLarge(PathBuf),
}

/// The largest table of a .parquet file: a small file may unpack to a large one.
const MAX_CELLS: usize = 1 << 28;

/// Reads the columns of a file with numbers; columns of other things are left out.
///
/// # Errors
/// If the file cannot be read, or has no table of numbers.
pub fn read_table(path: &Path) -> Result<DataTable, ReadTableError> {
    match is_parquet(path) {
        true => parquet_table(path),
        false => Ok(crate::format::read_table(path)?),
    }
}

fn is_parquet(path: &Path) -> bool {
    let is_regular = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    let mut begin = [0; 4];
    is_regular && File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == *b"PAR1"
}

fn parquet_table(path: &Path) -> Result<DataTable, ReadTableError> {
    let broken = |error: ParquetError| ReadTableError::Parquet { error, path: path.to_owned() };
    let unreadable = |error| FileError::Unreadable { error, path: path.to_owned() };
    let reader = SerializedFileReader::new(File::open(path).map_err(unreadable)?).map_err(broken)?;
    let mut table = DataTable::default();
    let mut is_numeric: Vec<bool> = Vec::new();
    let mut cells = 0_usize;
    for row in reader.get_row_iter(None).map_err(broken)? {
        for (index, (name, field)) in row.map_err(broken)?.get_column_iter().enumerate() {
            if index == table.columns.len() {
                table.columns.push(DataColumn { name: name.clone(), values: Vec::new() });
                is_numeric.push(true);
            }
            let number = match field {
                Field::Null => Some(f64::NAN),
                Field::Byte(number) => Some(f64::from(*number)),
                Field::Short(number) => Some(f64::from(*number)),
                Field::Int(number) => Some(f64::from(*number)),
                Field::Long(number) => Some(*number as f64),
                Field::UByte(number) => Some(f64::from(*number)),
                Field::UShort(number) => Some(f64::from(*number)),
                Field::UInt(number) => Some(f64::from(*number)),
                Field::ULong(number) => Some(*number as f64),
                Field::Float(number) => Some(f64::from(*number)),
                Field::Double(number) => Some(*number),
                _ => None,
            };
            if let (Some(column), Some(is_numeric)) = (table.columns.get_mut(index), is_numeric.get_mut(index)) {
                *is_numeric &= number.is_some();
                column.values.push(number.unwrap_or(f64::NAN));
            }
            cells += 1;
            if cells > MAX_CELLS {
                return Err(ReadTableError::TooLarge(path.to_owned()));
            }
        }
    }
    let mut kept = is_numeric.into_iter();
    table.columns.retain(|_| kept.next().unwrap_or(false));
    Ok(table)
}
