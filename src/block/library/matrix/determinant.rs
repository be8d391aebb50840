use crate::block::library::matrix_math;
use crate::block::library::matrix_shape::square;
use crate::block::{BlockDef, Example, Expr, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Determinant",
    doc: "Computes the determinant of a square matrix",
    formula: "det A, by elimination with partial pivoting (Golub, Van Loan: Matrix Computations, section 3.4)",
    aliases: &["det", "matrix determinant", "matdet"],
    look: Look::rect(Face::Text("|A|")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        let u = b.input(0);
        let Some(size) = square(b, u) else { return b.output(0, u) };
        let mut rows: Vec<Expr> = (0..size).map(|row| u.slice(row * size, size)).collect();
        let sign = matrix_math::eliminate(b, &mut rows);
        b.output(0, rows.iter().enumerate().fold(sign, |product, (row_index, row)| product * row.element(row_index)));
    },
    examples: &[
        Example {
            doc: "A 2×2 matrix",
            options: &[],
            delta: 1.0,
            widths: &[4],
            inputs: &[&[1.0, 2.0, 3.0, 4.0]],
            outputs: &[&[-2.0]],
        },
        Example {
            doc: "A singular matrix",
            options: &[],
            delta: 1.0,
            widths: &[4],
            inputs: &[&[1.0, 2.0, 2.0, 4.0]],
            outputs: &[&[0.0]],
        },
    ],
};
