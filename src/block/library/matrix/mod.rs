//! Matrix operations on vectors that hold matrices row after row.

mod concatenate;
mod cross_product;
mod determinant;
mod diagonal;
mod expand;
mod extract_diagonal;
mod gain;
mod identity;
mod inverse;
mod multiply;
mod norm;
mod permute;
mod shape_test;
mod solve;
mod square;
mod submatrix;
mod transpose;

use crate::block::{BlockDef, Builder, Expr, ParamDef};

pub const DEFS: &[&BlockDef] = &[
    &multiply::DEF,
    &gain::DEF,
    &transpose::DEF,
    &cross_product::DEF,
    &expand::DEF,
    &identity::DEF,
    &diagonal::DEF,
    &extract_diagonal::DEF,
    &norm::DEF,
    &determinant::DEF,
    &inverse::DEF,
    &solve::DEF,
    &submatrix::DEF,
    &concatenate::DEF,
    &square::DEF,
    &permute::DEF,
    &shape_test::DEF,
];

const ROWS: ParamDef =
    ParamDef::integer("Rows", 1, 1, 1000).doc("The number of rows of the first input, which is given row after row");

/// The maximum number of rows of a square matrix, which bounds the number of instructions.
const MAX_SQUARE: usize = 30;

/// Returns the number of rows of a square matrix; records an error if the input is not square or too large.
fn square(b: &Builder, matrix: Expr) -> Option<usize> {
    let size = (1..=MAX_SQUARE).find(|size| size * size >= matrix.width()).unwrap_or(MAX_SQUARE);
    if size * size != matrix.width() {
        b.refuse_width(0, size * size);
        return None;
    }
    Some(size)
}
