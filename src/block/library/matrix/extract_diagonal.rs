use crate::block::library::matrix_math;
use crate::block::library::matrix_shape::ROWS;
use crate::block::{BlockDef, Example, Expr, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Extract Diagonal",
    doc: "Extracts the diagonal of a matrix",
    formula: "y = [A₁₁ A₂₂ …]",
    aliases: &["diag", "diagonal"],
    look: Look::rect(Face::Text("A ↘")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ROWS],
    build: |b| {
        let (u, rows) = (b.input(0), b.settings().integer("Rows") as usize);
        let Some(columns) = matrix_math::columns(b, "Rows", u.width(), rows) else { return b.output(0, u) };
        let elements: Vec<Expr> = (0..rows.min(columns)).map(|index| u.element(index * columns + index)).collect();
        b.output(0, b.join(&elements));
    },
    examples: &[Example {
        doc: "A 2×2 matrix",
        options: &[("Rows", &["2"])],
        delta: 1.0,
        widths: &[4],
        inputs: &[&[1.0, 2.0, 3.0, 4.0]],
        outputs: &[&[1.0, 4.0]],
    }],
};
