use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Ground",
    doc: "Outputs zero",
    formula: "y = 0",
    aliases: &["zero", "constant zero", "unused input"],
    look: Look::rect(Face::Strokes(&[
        &[(0.5, 0.15), (0.5, 0.5)],
        &[(0.2, 0.5), (0.8, 0.5)],
        &[(0.32, 0.65), (0.68, 0.65)],
        &[(0.43, 0.8), (0.57, 0.8)],
    ])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.constant(0.0)),
    examples: &[Example {
        doc: "Zero in each step",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 0.0]],
    }],
};
