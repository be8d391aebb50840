use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Saturate",
    doc: "Limits its input to a range",
    formula: "y = min(max(u, low), high)",
    aliases: &["saturation", "limiter", "clip", "clamp", "limit", "in range and coerce"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.8), (0.32, 0.8), (0.68, 0.2), (0.9, 0.2)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Lower Limit", &[-0.5]).vector().doc("The minimum output"),
        ParamDef::number("Upper Limit", &[0.5]).vector().doc("The maximum output"),
    ],
    build: |b| {
        let (u, low, high) = (b.input(0), b.param("Lower Limit"), b.param("Upper Limit"));
        b.crossing(u - low);
        b.crossing(u - high);
        b.output(0, u.max(low).min(high));
    },
    examples: &[Example {
        doc: "Between -0.5 and 0.5",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[-2.0, 0.25, 2.0]],
        outputs: &[&[-0.5, 0.25, 0.5]],
    }],
};
