use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Wrap To Zero",
    doc: "Replaces its input with zero above a threshold",
    formula: "y = 0 where u > threshold, else u",
    aliases: &["wrap", "overflow to zero"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.85), (0.65, 0.2), (0.65, 0.85), (0.9, 0.85)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Threshold", &[255.0]).vector().doc("The largest input that passes")],
    build: |b| {
        let u = b.input(0);
        let threshold = b.param("Threshold");
        b.output(0, b.select(b.decided(u.gt(threshold), u - threshold), 0.0, u));
    },
    examples: &[Example {
        doc: "A threshold of 255",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[255.0, 256.0, -1.0]],
        outputs: &[&[255.0, 0.0, -1.0]],
    }],
};
