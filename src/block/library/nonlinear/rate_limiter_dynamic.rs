use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Rate Limiter Dynamic",
    doc: "Limits the rate of change of its input to two slope signals",
    formula: "as the rate limiter, with the slopes from inputs",
    aliases: &["slew rate dynamic", "variable rate limiter"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.85), (0.35, 0.85), (0.65, 0.15), (0.9, 0.15)],
        &[(0.1, 0.6), (0.25, 0.6)],
        &[(0.75, 0.4), (0.9, 0.4)],
    ])),
    inputs: Ports::Fixed(&["Rising", "Input", "Falling"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Begin With", &["input", "value"])
            .doc("Whether the first output is the input, or is limited from the initial value on"),
        ParamDef::number("Initial Value", &[0.0])
            .vector()
            .doc("The output before the first step, where the limiter begins with the value"),
    ],
    build: |b| b.output(0, super::rate_limiter::limited(b, b.input(1), b.input(0), b.input(2))),
    examples: &[Example {
        doc: "A rising slope that grows",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0, 2.0], &[0.0, 9.0, 9.0], &[-1.0, -1.0, -1.0]],
        outputs: &[&[0.0, 1.0, 3.0]],
    }],
};
