//! Matrices and roots on the command line.

use crate::block::language::NoNames;
use crate::block::math::{Complex, Matrix};
use crate::block::{ValueError, values_of};

#[derive(Debug, thiserror::Error)]
pub(super) enum MatrixError {
    #[error("--{option} \"{text}\": {problem}")]
    Malformed { option: &'static str, text: String, problem: ValueError },
    #[error("--{option}: {rows}×{columns} elements, expected {wanted}")]
    Size { option: &'static str, rows: usize, columns: usize, wanted: String },
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
