use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Dot Product",
    doc: "Computes the dot product of two vectors",
    formula: "y = a₁·b₁ + a₂·b₂ + …, added from first to last",
    aliases: &["scalar product", "inner product", "correlate"],
    look: Look::rect(Face::Text("a·b")),
    inputs: Ports::Fixed(&["A", "B"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.input(0).dot(b.input(1))),
    examples: &[Example {
        doc: "Two vectors of three elements",
        options: &[],
        delta: 1.0,
        widths: &[3, 3],
        inputs: &[&[1.0, 2.0, 3.0], &[4.0, -5.0, 6.0]],
        outputs: &[&[12.0]],
    }],
};
