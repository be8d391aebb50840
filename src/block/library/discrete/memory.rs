use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Memory",
    doc: "Delays its input by one simulation step",
    formula: "y[n] = u[n−1], y[0] = y₀",
    aliases: &["previous value", "unit delay", "last value", "algebraic loop breaker"],
    look: Look::rect(Face::Strokes(&[
        &[(0.15, 0.5), (0.15, 0.2), (0.4, 0.2)],
        &[(0.6, 0.8), (0.85, 0.8), (0.85, 0.5)],
        &[(0.3, 0.5), (0.7, 0.5)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ in the first step")],
    build: |b| b.output(0, b.before(b.input(0), b.param("Initial Value"))),
    examples: &[Example {
        doc: "Initial value 7",
        options: &[("Initial Value", &["7"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 2.0, 3.0]],
        outputs: &[&[7.0, 1.0, 2.0]],
    }],
};
