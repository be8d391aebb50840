//! The shape of matrices that are given row after row.

use crate::block::{Builder, Expr, ParamDef};

/// The number of rows of a matrix.
pub const ROWS: ParamDef =
    ParamDef::integer("Rows", 1, 1, 1000).doc("The number of rows of the first input, which is given row after row");

/// The maximum number of rows of a square matrix, which bounds the number of instructions.
const MAX_SQUARE: usize = 30;

/// Returns the number of rows of a square matrix; records an error if the input is not square or too large.
pub fn square(b: &Builder, matrix: Expr) -> Option<usize> {
    square_up_to(b, matrix, MAX_SQUARE)
}

/// As [`square`], of at most `most` rows.
pub fn square_up_to(b: &Builder, matrix: Expr, most: usize) -> Option<usize> {
    let size = (1..=most).find(|size| size * size >= matrix.width()).unwrap_or(most);
    if size * size != matrix.width() {
        b.refuse_width(0, size * size);
        return None;
    }
    Some(size)
}
