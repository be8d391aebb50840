use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Difference",
    doc: "Computes the change of its input since the previous sample",
    formula: "y[n] = u[n] − u[n−1]",
    aliases: &["delta", "change", "increment", "discrete derivative"],
    look: Look::rect(Face::Text("Δu")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The input before the first sample"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        b.output(0, u - b.before(u, b.param("Initial Value")));
    },
    examples: &[Example {
        doc: "Differences of a sequence",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 3.0, 2.0]],
        outputs: &[&[1.0, 2.0, -1.0]],
    }],
};
