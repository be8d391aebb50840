use crate::block::{BlockDef, Clock, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "Probe",
    doc: "Outputs the width of its input and the step size",
    formula: "width = number of elements; sample time = step size in seconds",
    aliases: &["signal info", "sample time", "width", "dimension"],
    look: Look::rect(Face::Strokes(&[
        &[(0.15, 0.85), (0.5, 0.5)],
        &[(0.45, 0.55), (0.6, 0.7), (0.9, 0.3), (0.75, 0.15), (0.45, 0.55)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Width", "Sample Time"]),
    params: &[],
    build: |b| {
        let u = b.input(0);
        b.output(0, b.constant(u.width() as f64));
        b.output(1, b.clock(Clock::Delta));
    },
    examples: &[Example {
        doc: "A vector of two elements",
        options: &[],
        delta: 0.5,
        widths: &[2],
        inputs: &[&[1.0, 2.0]],
        outputs: &[&[2.0], &[0.5]],
    }],
};
