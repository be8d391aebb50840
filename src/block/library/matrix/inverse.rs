use crate::block::library::matrix_math;
use crate::block::library::matrix_shape::square;
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Inverse",
    doc: "Computes the inverse of a square matrix",
    formula: "A⁻¹, by elimination with partial pivoting; infinite or not-a-number where A is singular \
              (Golub, Van Loan: Matrix Computations, section 3.4)",
    aliases: &["inv", "matrix inverse", "matinv", "reciprocal"],
    look: Look::rect(Face::Text("A⁻¹")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        let u = b.input(0);
        let Some(size) = square(b, u) else { return b.output(0, u) };
        let identity: Vec<f64> =
            (0..size * size).map(|index| f64::from(u8::from(index / size == index % size))).collect();
        b.output(0, matrix_math::solve(b, u, b.vector(&identity), size));
    },
    examples: &[Example {
        doc: "A 2×2 matrix",
        options: &[],
        delta: 1.0,
        widths: &[4],
        inputs: &[&[4.0, 7.0, 2.0, 6.0]],
        outputs: &[&[0.6, -0.7, -0.2, 0.4]],
    }],
};
