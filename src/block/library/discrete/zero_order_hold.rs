use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Zero-Order Hold",
    doc: "Samples its input at each sample time and holds it in between",
    formula: "y(t) = u(kT) for kT ≤ t < (k+1)T",
    aliases: &["zoh", "sample and hold", "sampler", "hold", "zeroorderhold"],
    look: Look::rect(Face::Strokes(&[&[
        (0.1, 0.85),
        (0.1, 0.65),
        (0.36, 0.65),
        (0.36, 0.35),
        (0.63, 0.35),
        (0.63, 0.15),
        (0.9, 0.15),
    ]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::SAMPLE_TIME, ParamDef::SAMPLE_OFFSET],
    build: |b| b.output(0, b.input(0)),
    examples: &[Example {
        doc: "Every second step, with an offset of one step",
        options: &[("Sample Time", &["0.5"]), ("Sample Offset", &["0.25"])],
        delta: 0.25,
        widths: &[],
        inputs: &[&[1.0, 2.0, 3.0, 4.0, 5.0]],
        outputs: &[&[0.0, 2.0, 2.0, 4.0, 4.0]],
    }],
};
