use crate::block::library::matrix_math;
use crate::block::library::matrix_shape::ROWS;
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Transpose",
    doc: "Transposes a matrix, given as a vector row after row",
    formula: "Y = A'",
    aliases: &["hermitian transpose", "matrix transpose", "swap", "permute dimensions", "mattran"],
    look: Look::rect(Face::Text("A'")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ROWS],
    build: |b| {
        let (u, rows) = (b.input(0), b.settings().integer("Rows") as usize);
        let columns = matrix_math::columns(b, "Rows", u.width(), rows);
        b.output(0, columns.map_or(u, |columns| matrix_math::transpose(b, u, rows, columns)));
    },
    examples: &[Example {
        doc: "A 2×3 matrix",
        options: &[("Rows", &["2"])],
        delta: 1.0,
        widths: &[6],
        inputs: &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]],
        outputs: &[&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]],
    }],
};
