use crate::block::{BlockDef, Body, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Gain",
    doc: "Multiplies its input by a constant",
    formula: "y = k·u",
    aliases: &["amplifier", "scale", "factor", "proportional", "gainblk"],
    look: Look { body: Body::Triangle, face: Face::Param("Gain") },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Gain", &[1.0]).vector().doc("The gain k, one for all elements or one for each")],
    build: |b| b.output(0, b.param("Gain") * b.input(0)),
    examples: &[Example {
        doc: "A gain of 2",
        options: &[("Gain", &["2"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 1.5, -3.0]],
        outputs: &[&[0.0, 3.0, -6.0]],
    }],
};
