use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Multiply",
    doc: "Multiplies two signals",
    formula: "y = u₁·u₂",
    aliases: &["product", "times", "multiplier"],
    look: Look::rect(Face::Text("×")),
    inputs: Ports::Fixed(&["Multiplicand 1", "Multiplicand 2"]),
    outputs: Ports::Fixed(&["Product"]),
    params: &[],
    build: |b| b.output(0, b.input(0) * b.input(1)),
    examples: &[Example {
        doc: "5.5 times 2",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[5.5, -1.0], &[2.0, 3.0]],
        outputs: &[&[11.0, -3.0]],
    }],
};
