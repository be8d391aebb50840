//! Matrix operations on vectors that hold matrices row after row.

mod concatenate;
mod cross_product;
mod determinant;
mod diagonal;
mod eigenvalues;
mod expand;
mod extract_diagonal;
mod gain;
mod identity;
mod inverse;
mod multiply;
mod norm;
mod permute;
mod shape_test;
mod singular_values;
mod solve;
mod square;
mod submatrix;
mod transpose;

use crate::block::BlockDef;

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
    &eigenvalues::DEF,
    &singular_values::DEF,
    &submatrix::DEF,
    &concatenate::DEF,
    &square::DEF,
    &permute::DEF,
    &shape_test::DEF,
];
