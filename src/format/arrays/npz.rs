//! Arrays of NumPy: .npy, and .npz, an archive of these.
//!
//! The format: a mark, the version, the length of a header and the header, a dictionary of Python with the kind of the
//! numbers, the order of the elements and the shape; then the elements.
//! (<https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>)

use std::io::{self, Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::{ArrayError, ArrayHead, ArrayValues, ByteOrder, ElementKind, MAX_BYTES, NamedArray, NumberKind, by_rows};

pub const NPY_MARK: &[u8] = b"\x93NUMPY";
const EXTENSION: &str = ".npy";
/// The elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Writes an archive that NumPy opens with `numpy.load`, without compression; texts are arrays without dimensions.
/// `elements` writes those of the array with a number, little-endian, row after row.
///
/// # Errors
/// If writing fails.
pub fn write_npz(
    to: impl Write,
    arrays: &[ArrayHead],
    texts: &[(&str, &str)],
    mut elements: impl FnMut(usize, &mut dyn Write) -> io::Result<()>,
) -> Result<(), ArrayError> {
    let zipped = |error: zip::result::ZipError| ArrayError::Io(error.into());
    let mut archive = ZipWriter::new_stream(to);
    for (number, array) in arrays.iter().enumerate() {
        let head = header(array);
        let count = array.rows * array.width();
        let is_large = (count * 8 + head.len()) as u64 >= u64::from(u32::MAX);
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(is_large);
        archive.start_file(format!("{}{EXTENSION}", array.name), options).map_err(zipped)?;
        archive.write_all(&head)?;
        elements(number, &mut archive)?;
    }
    for (name, text) in texts {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        archive.start_file(format!("{name}{EXTENSION}"), options).map_err(zipped)?;
        let letters: Vec<u8> = text.chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect();
        // NumPy has no texts without letters.
        archive.write_all(&header_of(&format!("<U{}", (letters.len() / 4).max(1)), "()"))?;
        archive.write_all(if letters.is_empty() { &[0; 4] } else { &letters })?;
    }
    archive.finish().map_err(zipped)?.into_inner().flush()?;
    Ok(())
}

fn header(array: &ArrayHead) -> Vec<u8> {
    let kind = match array.kind {
        ElementKind::Integer => "<i8",
        ElementKind::Number => "<f8",
    };
    let shape = match array.columns {
        None => format!("({},)", array.rows),
        Some(columns) => format!("({}, {columns})", array.rows),
    };
    header_of(kind, &shape)
}

fn header_of(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let before = NPY_MARK.len() + 4;
    let end = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.extend(std::iter::repeat_n(' ', end - before - text.len() - 1));
    text.push('\n');
    let mut bytes = NPY_MARK.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// Reads the arrays of an archive, in its order. Empty arrays, and those of other kinds than
/// real numbers, are left out.
///
/// # Errors
/// If it is not an archive of arrays, or too large.
pub fn read_npz(bytes: &[u8]) -> Result<Vec<NamedArray>, ArrayError> {
    let broken = |error: zip::result::ZipError| ArrayError::broken(error.to_string());
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    let (mut arrays, mut left) = (Vec::new(), MAX_BYTES);
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(broken)?;
        let Some(name) = file.name().strip_suffix(EXTENSION).map(str::to_owned) else { continue };
        let mut content = Vec::new();
        // A small archive may unpack to a large one, whatever size it states.
        file.take(left as u64 + 1).read_to_end(&mut content).map_err(|error| ArrayError::broken(error.to_string()))?;
        left = left.checked_sub(content.len()).ok_or(ArrayError::TooLarge)?;
        arrays.extend(read_npy(&name, &content)?);
    }
    Ok(arrays)
}

/// Reads an array; `None` if it is not one of real numbers, has more than two dimensions, or is empty.
///
/// # Errors
/// If it is broken.
pub fn read_npy(name: &str, bytes: &[u8]) -> Result<Option<NamedArray>, ArrayError> {
    let broken = |what: &str| ArrayError::broken(format!("“{name}” is not an array of NumPy: {what}"));
    let rest = bytes.strip_prefix(NPY_MARK).ok_or_else(|| broken("the mark is missing"))?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(|| broken("it ends in the header"))?;
    let (length, rest) = match version[0] {
        1 => rest.split_first_chunk::<2>().map(|(length, rest)| (u16::from_le_bytes(*length) as usize, rest)),
        2 | 3 => rest.split_first_chunk::<4>().map(|(length, rest)| (u32::from_le_bytes(*length) as usize, rest)),
        _ => return Err(broken("its version is not known")),
    }
    .ok_or_else(|| broken("it ends in the header"))?;
    let (head, data) = rest.split_at_checked(length).ok_or_else(|| broken("it ends in the header"))?;
    let head = std::str::from_utf8(head).map_err(|_| broken("its header is not text"))?;
    let field = |name: &str| {
        let (_, rest) = head.split_once(&format!("'{name}':"))?;
        Some(rest.trim_start())
    };
    let kind = field("descr").ok_or_else(|| broken("it has no kind"))?;
    let is_by_columns = field("fortran_order").ok_or_else(|| broken("it has no order"))?.starts_with("True");
    let shape = field("shape").and_then(|text| text.strip_prefix('(')?.split_once(')'));
    let (shape, _) = shape.ok_or_else(|| broken("it has no shape"))?;
    let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty()).map(str::parse::<usize>);
    let sizes: Vec<usize> = sizes.collect::<Result<_, _>>().map_err(|_| broken("its shape is not of numbers"))?;
    let kind = kind.strip_prefix('\'').and_then(|text| text.split_once('\'')).map(|(kind, _)| kind);
    let Some((order, kind)) = kind.and_then(kind_of) else { return Ok(None) };
    let (rows, columns) = match sizes[..] {
        [rows] => (rows, None),
        [rows, columns] => (rows, Some(columns)),
        _ => return Ok(None),
    };
    let needed = rows.checked_mul(columns.unwrap_or(1)).and_then(|count| count.checked_mul(kind.size()));
    let data = needed.and_then(|needed| data.get(..needed)).ok_or_else(|| broken("it ends in its elements"))?;
    if needed == Some(0) {
        return Ok(None);
    }
    let mut values = kind.numbers(data, order);
    if let (true, Some(columns)) = (is_by_columns, columns) {
        values = by_rows(&values, rows, columns);
    }
    Ok(Some(NamedArray { name: name.to_owned(), rows, columns, values: ArrayValues::Numbers(values) }))
}

/// Returns the byte order and the kind of numbers.
fn kind_of(text: &str) -> Option<(ByteOrder, NumberKind)> {
    let mut letters = text.chars();
    let order = match letters.next()? {
        '<' | '|' | '=' => ByteOrder::Little,
        '>' => ByteOrder::Big,
        _ => return None,
    };
    let kind = letters.next()?;
    let size: usize = letters.as_str().parse().ok()?;
    let kind = match (kind, size) {
        ('f', 2 | 4 | 8) => NumberKind::Float(size),
        ('i', 1 | 2 | 4 | 8) => NumberKind::Signed(size),
        ('u', 1 | 2 | 4 | 8) | ('b', 1) => NumberKind::Unsigned(size),
        _ => return None,
    };
    Some((order, kind))
}
