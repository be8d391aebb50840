use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Transfer Function First Order",
    doc: "Filters its input with a first-order low-pass of unit DC gain",
    formula: "y[n] = p·y[n−1] + (1 − p)·u[n]",
    aliases: &["exponential smoothing", "transfer fcn first order", "low pass", "ewma", "leaky integrator"],
    look: Look::rect(Face::Fraction("(1−p)z", "z − p")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Pole", &[0.95]).vector().doc("The pole p, the weight of the previous output"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output before the first sample"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, pole, initial) = (b.input(0), b.param("Pole"), b.param("Initial Value"));
        let state = b.state(b.common_width(&[u, pole, initial]), initial);
        let y = pole * state.value + (1.0 - pole) * u;
        state.next(y);
        b.output(0, y);
        b.early(0, initial);
    },
    examples: &[Example {
        doc: "A step response",
        options: &[("Pole", &["0.5"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0]],
        outputs: &[&[0.5, 0.75, 0.875]],
    }],
};
