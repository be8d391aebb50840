use crate::block::library::matrix_math;
use crate::block::library::matrix_shape::square;
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Solve",
    doc: "Solves a system of linear equations",
    formula: "A·x = b, by elimination with partial pivoting; infinite or not-a-number where A is singular \
              (Golub, Van Loan: Matrix Computations, section 3.4)",
    aliases: &["backslash", "linear equations", "matbksl", "mldivide"],
    look: Look::rect(Face::Text("A \\ b")),
    inputs: Ports::Fixed(&["A", "B"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        let (a, right) = (b.input(0), b.input(1));
        let Some(size) = square(b, a) else { return b.output(0, a) };
        if right.width() % size != 0 {
            b.refuse_width(1, size);
            return b.output(0, a);
        }
        b.output(0, matrix_math::solve(b, a, right, size));
    },
    examples: &[
        Example {
            doc: "Two equations",
            options: &[],
            delta: 1.0,
            widths: &[4, 2],
            inputs: &[&[2.0, 1.0, 1.0, 3.0], &[3.0, 5.0]],
            outputs: &[&[0.8, 1.4]],
        },
        Example {
            doc: "The first pivot is zero",
            options: &[],
            delta: 1.0,
            widths: &[4, 2],
            inputs: &[&[0.0, 1.0, 1.0, 0.0], &[3.0, 5.0]],
            outputs: &[&[5.0, 3.0]],
        },
    ],
};
