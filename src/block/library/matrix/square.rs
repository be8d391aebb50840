use crate::block::library::matrix_math;
use crate::block::library::matrix_shape::ROWS;
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Matrix Square",
    doc: "Multiplies the transpose of a matrix by the matrix",
    formula: "Y = A'·A",
    aliases: &["gram matrix", "a'a", "normal equations"],
    look: Look::rect(Face::Text("A'A")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ROWS],
    build: |b| {
        let (u, rows) = (b.input(0), b.settings().integer("Rows") as usize);
        let Some(columns) = matrix_math::columns(b, "Rows", u.width(), rows) else { return b.output(0, u) };
        let transposed = matrix_math::transpose(b, u, rows, columns);
        b.output(0, matrix_math::multiply(b, transposed, u, [columns, rows, columns]));
    },
    examples: &[Example {
        doc: "A 2×2 matrix",
        options: &[("Rows", &["2"])],
        delta: 1.0,
        widths: &[4],
        inputs: &[&[1.0, 2.0, 3.0, 4.0]],
        outputs: &[&[10.0, 14.0, 14.0, 20.0]],
    }],
};
