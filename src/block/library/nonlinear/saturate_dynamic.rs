use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Saturate Dynamic",
    doc: "Limits its input to the range between two signals",
    formula: "y = min(max(u, low), up); where low > up it is up",
    aliases: &["saturation dynamic", "variable limiter", "dynamic limit", "clamp", "clip"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.8), (0.32, 0.8), (0.68, 0.2), (0.9, 0.2)],
        &[(0.1, 0.6), (0.25, 0.6)],
        &[(0.75, 0.4), (0.9, 0.4)],
    ])),
    inputs: Ports::Fixed(&["Upper", "Input", "Lower"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        let (high, u, low) = (b.input(0), b.input(1), b.input(2));
        b.crossing(u - low);
        b.crossing(u - high);
        b.output(0, u.clamp(low, high));
    },
    examples: &[Example {
        doc: "Varying limits",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 2.0, 1.0], &[3.0, 1.5, -7.0], &[0.0, 0.0, -5.0]],
        outputs: &[&[1.0, 1.5, -5.0]],
    }],
};
