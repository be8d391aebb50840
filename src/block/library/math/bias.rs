use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Bias",
    doc: "Adds a constant to the input",
    formula: "y = u + b",
    aliases: &["offset", "add constant", "zero shift", "constant offset"],
    look: Look::rect(Face::Param("Bias")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Bias", &[0.0]).vector().doc("The constant b, one for all elements or one for each")],
    build: |b| b.output(0, b.input(0) + b.param("Bias")),
    examples: &[Example {
        doc: "A bias of 0.5",
        options: &[("Bias", &["0.5"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, -2.0]],
        outputs: &[&[1.5, -1.5]],
    }],
};
