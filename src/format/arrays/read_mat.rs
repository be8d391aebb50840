//! Reads the variables of MAT-files of version 5 to 7.

use std::collections::HashMap;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::mat::{CELL_CLASS, CHAR_CLASS, HEADER, INT8, INT32, MATRIX, PATHS, UINT16, UINT32};
use super::{ArrayError, ArrayValues, ByteOrder, MAX_BYTES, NamedArray, NumberKind, by_rows};

const UTF8: u32 = 16;
const COMPRESSED: u32 = 15;
/// Flags of a variable.
const COMPLEX: u8 = 0x08;
/// Cells within cells are read to this depth.
const MAX_DEPTH: usize = 4;

/// Reads the real vectors and matrices of a file, in its order. Texts, structures, complex, sparse and empty matrices are
/// left out. A row is a vector.
///
/// # Errors
/// If the file is broken, too large, or of another version.
pub fn read_mat(bytes: &[u8]) -> Result<Vec<NamedArray>, ArrayError> {
    let mut reader = Reader::begin(bytes)?;
    let (mut arrays, mut names) = (Vec::new(), HashMap::new());
    while let Some((kind, data)) = reader.next()? {
        let inflated;
        let (kind, data) = if kind == COMPRESSED {
            inflated = decompress_to_vec_zlib_with_limit(data, reader.left.min(MAX_BYTES))
                .map_err(|error| ArrayError::broken(format!("a compressed variable is broken: {error}")))?;
            reader.left = reader.left.checked_sub(inflated.len()).ok_or(ArrayError::TooLarge)?;
            let mut inner = Reader { rest: &inflated, order: reader.order, left: 0 };
            inner.next()?.ok_or_else(|| ArrayError::broken("a compressed variable is empty"))?
        } else {
            (kind, data)
        };
        if kind != MATRIX {
            continue;
        }
        match variable(data, reader.order, 0)? {
            (_, Content::Array(array)) => arrays.push(array),
            (name, Content::Cells(rows, cells)) if name == PATHS && cells.len() == 2 * rows => {
                let (short, long) = cells.split_at(rows);
                names.extend(short.iter().cloned().zip(long.iter().cloned()));
            }
            _ => {}
        }
    }
    for array in &mut arrays {
        if let Some(name) = names.get(&array.name).filter(|name| !name.is_empty()) {
            array.name.clone_from(name);
        }
    }
    Ok(arrays)
}

/// The content of a variable, as far as it matters here.
enum Content {
    Array(NamedArray),
    Text(String),
    /// The number of rows, and the texts of all cells, column after column; empty where a cell holds no text.
    Cells(usize, Vec<String>),
    Other,
}

struct Reader<'a> {
    rest: &'a [u8],
    order: ByteOrder,
    /// The number of bytes that may still be unpacked.
    left: usize,
}

impl<'a> Reader<'a> {
    fn begin(bytes: &'a [u8]) -> Result<Reader<'a>, ArrayError> {
        let (header, rest) =
            bytes.split_at_checked(HEADER).ok_or_else(|| ArrayError::broken("the file is too short"))?;
        let order = match &header[126..] {
            b"IM" => ByteOrder::Little,
            b"MI" => ByteOrder::Big,
            _ => return Err(ArrayError::broken("it is not a MAT-file of version 5; save it with -v7")),
        };
        if header[if order == ByteOrder::Big { 124 } else { 125 }] != 1 {
            return Err(ArrayError::broken("it is a MAT-file of version 7.3 (HDF5); save it with -v7"));
        }
        Ok(Reader { rest, order, left: MAX_BYTES })
    }

    fn number(&self, bytes: [u8; 4]) -> u32 {
        match self.order {
            ByteOrder::Big => u32::from_be_bytes(bytes),
            ByteOrder::Little => u32::from_le_bytes(bytes),
        }
    }

    /// Returns the type and the data of the next element; none at the end.
    fn next(&mut self) -> Result<Option<(u32, &'a [u8])>, ArrayError> {
        let ends = || ArrayError::broken("the file ends within a variable");
        // Some programs fill the end of a file.
        if self.rest.len() < 8 {
            return Ok(None);
        }
        let (first, rest) = self.rest.split_first_chunk::<4>().ok_or_else(ends)?;
        let first = self.number(*first);
        if first >> 16 != 0 {
            // A short element: type, length and data in 8 bytes.
            let length = (first >> 16) as usize;
            self.rest = &self.rest[8..];
            return Ok(Some((first & 0xffff, rest.get(..length.min(4)).filter(|_| length <= 4).ok_or_else(ends)?)));
        }
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(ends)?;
        let length = self.number(*length) as usize;
        let data = rest.get(..length).ok_or_else(ends)?;
        let filled = if first == COMPRESSED { length } else { length.next_multiple_of(8) };
        self.rest = rest.get(filled..).unwrap_or_default();
        Ok(Some((first, data)))
    }

    fn expect(&mut self, kinds: &[u32]) -> Result<&'a [u8], ArrayError> {
        match self.next()? {
            Some((kind, data)) if kinds.contains(&kind) => Ok(data),
            _ => Err(ArrayError::broken("a variable has other parts than expected")),
        }
    }
}

fn kind_of(number: u32) -> Option<NumberKind> {
    Some(match number {
        1 => NumberKind::Signed(1),
        2 => NumberKind::Unsigned(1),
        3 => NumberKind::Signed(2),
        4 => NumberKind::Unsigned(2),
        5 => NumberKind::Signed(4),
        6 => NumberKind::Unsigned(4),
        7 => NumberKind::Float(4),
        9 => NumberKind::Float(8),
        12 => NumberKind::Signed(8),
        13 => NumberKind::Unsigned(8),
        _ => return None,
    })
}

fn variable(data: &[u8], order: ByteOrder, depth: usize) -> Result<(String, Content), ArrayError> {
    let mut reader = Reader { rest: data, order, left: 0 };
    // An empty cell has no parts at all.
    if data.is_empty() {
        return Ok((String::new(), Content::Other));
    }
    let flags = reader.expect(&[UINT32])?;
    let flags = flags.first_chunk::<4>().ok_or_else(|| ArrayError::broken("a variable has no class"))?;
    let flags = reader.number(*flags);
    let (class, is_complex) = ((flags & 0xff) as u8, flags >> 8 & u32::from(COMPLEX) != 0);
    let sizes = NumberKind::Signed(4).numbers(reader.expect(&[INT32])?, order);
    let name = String::from_utf8_lossy(reader.expect(&[INT8, UTF8])?).into_owned();
    let [rows, columns] = sizes[..] else { return Ok((name, Content::Other)) };
    let (rows, columns) = (rows.max(0.0) as usize, columns.max(0.0) as usize);
    let count = rows.checked_mul(columns).ok_or_else(|| ArrayError::broken("a variable is too large"))?;
    let content = match class {
        6..=15 if !is_complex && count > 0 => {
            let (kind, data) = reader.next()?.ok_or_else(|| ArrayError::broken("a variable has no numbers"))?;
            let kind = kind_of(kind).ok_or_else(|| ArrayError::broken("numbers are of an unknown type"))?;
            let values = kind.numbers(data, order);
            if values.len() != count {
                return Err(ArrayError::broken(format!("“{name}” has another number of elements than it says")));
            }
            let (rows, columns, values) = match (rows, columns) {
                (1, count) => (count, None, values),
                (rows, 1) => (rows, None, values),
                (rows, columns) => (rows, Some(columns), by_rows(&values, rows, columns)),
            };
            Content::Array(NamedArray { name: name.clone(), rows, columns, values: ArrayValues::Numbers(values) })
        }
        CHAR_CLASS => {
            let units: Vec<u16> = match reader.next()? {
                Some((UTF8 | INT8, data)) => {
                    return Ok((name, Content::Text(String::from_utf8_lossy(data).into_owned())));
                }
                Some((UINT16 | 17, data)) => {
                    NumberKind::Unsigned(2).numbers(data, order).into_iter().map(|unit| unit as u16).collect()
                }
                _ => return Ok((name, Content::Other)),
            };
            Content::Text(String::from_utf16_lossy(&units))
        }
        CELL_CLASS if depth < MAX_DEPTH => {
            let mut cells = Vec::new();
            while let Some((kind, data)) = reader.next()? {
                let text = match variable(data, order, depth + 1)? {
                    (_, Content::Text(text)) if kind == MATRIX => text,
                    _ => String::new(),
                };
                cells.push(text);
            }
            Content::Cells(rows, cells)
        }
        _ => Content::Other,
    };
    Ok((name, content))
}
