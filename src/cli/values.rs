//! Parsers of option values, and the text of results.

use crate::block::parse_number;

/// Parses a finite number above 0.
///
/// # Errors
/// If it is none.
pub fn above_zero(text: &str) -> Result<f64, String> {
    let value = parse_number(text).ok().filter(|value| *value > 0.0 && value.is_finite());
    value.ok_or_else(|| "expected a number above 0".to_owned())
}

/// Aligns rows in columns.
pub fn table<R: AsRef<[String]>>(rows: &[R]) -> String {
    let count = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.as_ref().get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &R| {
        let cells = row.as_ref().iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Up to six significant digits.
pub fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    crate::block::number_text(rounded)
}
