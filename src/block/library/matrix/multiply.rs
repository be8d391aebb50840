use crate::block::library::matrix_math;
use crate::block::library::matrix_shape::ROWS;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Matrix Multiply",
    doc: "Multiplies two matrices, given as vectors row after row",
    formula: "Y = A·B",
    aliases: &["matrix product", "product", "times", "matmul", "matrix vector"],
    look: Look::rect(Face::Text("A·B")),
    inputs: Ports::Fixed(&["A", "B"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ROWS, ParamDef::integer("Columns", 1, 1, 1000).doc("The number of columns of B and of the product")],
    build: |b| {
        let (left, right) = (b.input(0), b.input(1));
        let (rows, columns) = (b.settings().integer("Rows") as usize, b.settings().integer("Columns") as usize);
        let Some(inner) = matrix_math::columns(b, "Rows", left.width(), rows) else { return b.output(0, left) };
        let Some(below) = matrix_math::columns(b, "Columns", right.width(), columns) else { return b.output(0, left) };
        if !matrix_math::meet(b, "Columns", [rows, inner], [below, columns]) {
            return b.output(0, left);
        }
        b.output(0, matrix_math::multiply(b, left, right, [rows, inner, columns]));
    },
    examples: &[
        Example {
            doc: "Two by two",
            options: &[("Rows", &["2"]), ("Columns", &["2"])],
            delta: 1.0,
            widths: &[4, 4],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]],
            outputs: &[&[19.0, 22.0, 43.0, 50.0]],
        },
        Example {
            doc: "A matrix and a vector",
            options: &[("Rows", &["2"])],
            delta: 1.0,
            widths: &[4, 2],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0]],
            outputs: &[&[17.0, 39.0]],
        },
    ],
};
