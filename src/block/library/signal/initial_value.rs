use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "Initial Value",
    doc: "Replaces its input with an initial value in the first step",
    formula: "y[0] = y₀, then y = u",
    aliases: &["ic", "initial condition", "start value"],
    look: Look::rect(Face::Text("IC")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Initial Value", &[1.0]).vector().doc("The output y₀ in the first step")],
    build: |b| b.output(0, b.select(b.is_first(), b.param("Initial Value"), b.input(0))),
    examples: &[Example {
        doc: "Initial value 7",
        options: &[("Initial Value", &["7"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 2.0, 3.0]],
        outputs: &[&[7.0, 2.0, 3.0]],
    }],
};
