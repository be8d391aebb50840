//! Parsers of option values.

use crate::block::parse_number;

/// Parses a finite number above 0.
///
/// # Errors
/// If it is none.
pub fn above_zero(text: &str) -> Result<f64, String> {
    let value = parse_number(text).ok().filter(|value| *value > 0.0 && value.is_finite());
    value.ok_or_else(|| "expected a number above 0".to_owned())
}
