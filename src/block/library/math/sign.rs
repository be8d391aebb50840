use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Sign",
    doc: "Computes the sign of its input: 1, 0 or −1",
    formula: "y = 1 where u > 0, −1 where u < 0, else u itself (0, or not-a-number)",
    aliases: &["signum", "sgn", "polarity"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.5), (0.9, 0.5)],
        &[(0.5, 0.1), (0.5, 0.9)],
        &[(0.1, 0.8), (0.5, 0.8)],
        &[(0.5, 0.2), (0.9, 0.2)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.decided(b.input(0).sign(), b.input(0))),
    examples: &[Example {
        doc: "Positive, negative and zero",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[4.0, -0.5, 0.0]],
        outputs: &[&[1.0, -1.0, 0.0]],
    }],
};
