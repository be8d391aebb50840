//! Matrices and roots on the command line.

use crate::block::language::NoNames;
use crate::block::math::{Complex, Matrix};
use crate::block::{ValueError, parse_number, values_of};

#[derive(Debug, thiserror::Error)]
pub(super) enum MatrixError {
    #[error("--{option} \"{text}\": {problem}")]
    Malformed { option: &'static str, text: String, problem: ValueError },
    #[error("--{option}: {rows}×{columns} elements, expected {wanted}")]
    Size { option: &'static str, rows: usize, columns: usize, wanted: String },
    #[error("--{option}: “{text}” is no pole; write -2 or -1+3i")]
    Pole { option: &'static str, text: String },
}

/// Reads a matrix whose rows are separated by semicolons.
pub(super) fn matrix(option: &'static str, text: &str) -> Result<Matrix, MatrixError> {
    let found = values_of(text, &NoNames);
    let found = found.map_err(|problem| MatrixError::Malformed { option, text: text.to_owned(), problem })?;
    let columns = found.values.len().checked_div(found.rows).unwrap_or(0);
    Ok(Matrix { rows: found.rows, columns, values: found.values })
}

/// Returns the matrix if it fits.
pub(super) fn sized(option: &'static str, found: Matrix, fits: bool, wanted: String) -> Result<Matrix, MatrixError> {
    match fits {
        true => Ok(found),
        false => Err(MatrixError::Size { option, rows: found.rows, columns: found.columns, wanted }),
    }
}

/// Takes a list without semicolons as a column, where there are as many states as numbers.
pub(super) fn column_of(found: Matrix, order: usize) -> Matrix {
    match found.rows == 1 && found.columns == order {
        true => Matrix { rows: order, columns: 1, values: found.values },
        false => found,
    }
}

/// Reads complex numbers, separated by blanks or commas: `-2 -1+3i -1-3i`.
pub(super) fn poles_of(option: &'static str, text: &str) -> Result<Vec<Complex>, MatrixError> {
    let parts = text.split([' ', ',', ';']).filter(|part| !part.is_empty());
    parts.map(|part| pole(part).ok_or(MatrixError::Pole { option, text: part.to_owned() })).collect()
}

fn pole(text: &str) -> Option<Complex> {
    let number = |text: &str| parse_number(text).ok().filter(|value| value.is_finite());
    let Some(rest) = text.strip_suffix(['i', 'j']) else { return Some(Complex::from(number(text)?)) };
    // The sign of the imaginary part: the last that is not that of an exponent.
    let mut signs = rest.char_indices().filter(|(at, letter)| {
        let is_exponent = rest.get(..*at).is_some_and(|before| before.ends_with(['e', 'E']));
        matches!(letter, '+' | '-') && !is_exponent
    });
    let (re, im) = rest.split_at(signs.next_back().map_or(0, |(at, _)| at));
    let im = match im {
        "" | "+" => 1.0,
        "-" => -1.0,
        im => number(im.strip_prefix('+').unwrap_or(im))?,
    };
    Some(Complex::new(if re.is_empty() { 0.0 } else { number(re)? }, im))
}

pub(super) fn pairs(roots: Vec<Complex>) -> Vec<[f64; 2]> {
    roots.into_iter().map(|root| [root.re, root.im]).collect()
}

pub(super) fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    (0..matrix.rows).map(|row| matrix.row(row).to_vec()).collect()
}

/// Writes a title and a line for each root.
pub(super) fn roots_text(title: &str, roots: &[[f64; 2]]) -> String {
    let lines = roots.iter().map(|[re, im]| match *im == 0.0 {
        true => format!("  {re}\n"),
        false => format!("  {re} {} {}j\n", if *im < 0.0 { "-" } else { "+" }, im.abs()),
    });
    format!("{title}\n{}", lines.collect::<String>())
}
