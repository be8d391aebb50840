//! Writes MAT-files of version 5, which MATLAB, Octave and SciPy open.
//!
//! The format ("MAT-File Format", MathWorks, chapter 1): a header of 128 bytes, then elements of a type, a length and
//! data that is filled up to a multiple of 8 bytes. A variable is an element that contains four: flags with its class,
//! dimensions, name and data, column after column.
//!
//! A name of a variable has at most 63 letters, digits and underscores. The names of signals are changed accordingly, and
//! the cell array `paths` lists the name of each variable with the name of its signal.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::{ArrayError, ArrayHead, ElementKind, ORIGIN};

pub(super) const HEADER: usize = 128;
/// The variable that lists names.
pub(super) const PATHS: &str = "paths";
/// The length of a name of a variable, at most.
const MAX_NAME: usize = 63;

/// Types of elements.
pub(super) const INT8: u32 = 1;
pub(super) const UINT16: u32 = 4;
pub(super) const INT32: u32 = 5;
pub(super) const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const INT64: u32 = 12;
pub(super) const MATRIX: u32 = 14;

/// Classes of variables.
pub(super) const CELL_CLASS: u8 = 1;
pub(super) const CHAR_CLASS: u8 = 4;
const DOUBLE_CLASS: u8 = 6;
const INT64_CLASS: u8 = 14;

/// The size of a variable in bytes, at most.
const MAX_VARIABLE: usize = i32::MAX as usize;
/// The flags, dimensions and name of a variable have at most this size in bytes.
const MAX_HEAD: usize = 128;

/// Returns how many rows a variable with this number of columns may have.
pub fn max_rows_of_mat(columns: usize) -> usize {
    (MAX_VARIABLE - MAX_HEAD) / 8 / columns.max(1)
}

/// Writes arrays as variables; a vector is a column. Texts, whose names must be those of variables, come first.
/// `elements` writes those of the array with a number, little-endian, column after column.
///
/// # Errors
/// If an array is too long for the format, or writing fails.
pub fn write_mat(
    mut to: impl Write,
    arrays: &[ArrayHead],
    texts: &[(&str, &str)],
    mut elements: impl FnMut(usize, &mut dyn Write) -> io::Result<()>,
) -> Result<(), ArrayError> {
    let mut header = [b' '; HEADER];
    let about = b"MATLAB 5.0 MAT-file, written by Simulate";
    header[..about.len()].copy_from_slice(about);
    // No data of subsystems, the version, and the order of bytes.
    header[116..124].fill(0);
    header[124..].copy_from_slice(&[0, 1, b'I', b'M']);
    to.write_all(&header)?;
    for (name, content) in texts {
        to.write_all(&text(name, content))?;
    }
    let names = names_of(arrays);
    for (number, (array, name)) in arrays.iter().zip(&names).enumerate() {
        let (class, kind) = match array.kind {
            ElementKind::Integer => (INT64_CLASS, INT64),
            ElementKind::Number => (DOUBLE_CLASS, DOUBLE),
        };
        let (rows, columns) = (array.rows, array.width());
        let head = head(class, rows, columns, name);
        if rows > max_rows_of_mat(columns) {
            return Err(ArrayError::TooLong(array.name.clone()));
        }
        let length = rows * columns * 8;
        let total = (head.len() + 8 + length) as u32;
        to.write_all(&tag(MATRIX, total))?;
        to.write_all(&head)?;
        to.write_all(&tag(kind, length as u32))?;
        elements(number, &mut to)?;
    }
    if !arrays.is_empty() {
        to.write_all(&paths(arrays, &names))?;
    }
    to.flush()?;
    Ok(())
}

fn tag(kind: u32, length: u32) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&kind.to_le_bytes());
    bytes[4..].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn element(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = tag(kind, data.len() as u32).to_vec();
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// The flags, dimensions and name of a variable.
fn head(class: u8, rows: usize, columns: usize, name: &str) -> Vec<u8> {
    let mut bytes = element(UINT32, &[class, 0, 0, 0, 0, 0, 0, 0]);
    let sizes = [rows as i32, columns as i32].map(i32::to_le_bytes).concat();
    bytes.extend(element(INT32, &sizes));
    bytes.extend(element(INT8, name.as_bytes()));
    bytes
}

fn variable(head: Vec<u8>, content: &[u8]) -> Vec<u8> {
    let mut bytes = tag(MATRIX, (head.len() + content.len()) as u32).to_vec();
    bytes.extend(head);
    bytes.extend(content);
    bytes
}

fn text(name: &str, text: &str) -> Vec<u8> {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    variable(head(CHAR_CLASS, usize::from(!units.is_empty()), units.len() / 2, name), &element(UINT16, &units))
}

/// The cell array with a row for each variable: its name and that of its signal.
fn paths(arrays: &[ArrayHead], names: &[String]) -> Vec<u8> {
    let cells = names.iter().map(|name| text("", name)).chain(arrays.iter().map(|array| text("", &array.name)));
    let content: Vec<u8> = cells.flatten().collect();
    variable(head(CELL_CLASS, arrays.len(), 2, PATHS), &content)
}

/// The names of the variables, which depend on nothing but the names of the arrays and their order.
pub(super) fn names_of(arrays: &[ArrayHead]) -> Vec<String> {
    let mut taken = BTreeSet::from([PATHS, ORIGIN].map(str::to_owned));
    let name = |array: &ArrayHead| {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let mut name: String = array.name.chars().map(plain).collect();
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name.insert_str(0, "x_");
        }
        name.truncate(MAX_NAME);
        let mut free = name.clone();
        let mut number = 1;
        while !taken.insert(free.clone()) {
            number += 1;
            let end = format!("_{number}");
            free = format!("{}{end}", &name[..name.len().min(MAX_NAME - end.len())]);
        }
        free
    };
    arrays.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_are_plain_and_differ() {
        let long = "a".repeat(70);
        let names = ["Plant/Motor#3.Output", "Plant Motor 3 Output", "paths", "3rd", "_x", "", &long, &long, "Ω"];
        let arrays =
            names.map(|name| ArrayHead { name: name.to_owned(), rows: 0, columns: None, kind: ElementKind::Number });
        let found = names_of(&arrays);
        let expected = ["Plant_Motor_3_Output", "Plant_Motor_3_Output_2", "paths_2", "x_3rd", "x__x", "x_"];
        assert_eq!(found[..6], expected);
        assert_eq!((found[6].len(), found[7].as_str()), (63, &*format!("{}_2", "a".repeat(61))));
        assert_eq!(found[8], "x__");
    }
}
