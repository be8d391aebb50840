use crate::block::{BlockDef, Body, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Slider Gain",
    doc: "Multiplies the input by a factor that is kept between two limits, made to be moved while running",
    formula: "y = min(max(k, low), high)·u",
    aliases: &["slider", "knob", "potentiometer", "adjustable gain"],
    look: Look { body: Body::Triangle, face: Face::Param("Gain") },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Low", &[0.0]).doc("The smallest factor"),
        ParamDef::number("Gain", &[1.0]).doc("The factor k"),
        ParamDef::number("High", &[2.0]).doc("The largest factor"),
    ],
    build: |b| b.output(0, b.param("Gain").clamp(b.param("Low"), b.param("High")) * b.input(0)),
    examples: &[Example {
        doc: "The slider at its upper end",
        options: &[("Gain", &["5"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, -3.0]],
        outputs: &[&[2.0, -6.0]],
    }],
};
