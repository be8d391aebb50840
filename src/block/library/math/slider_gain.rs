use crate::block::{BlockDef, Body, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Slider Gain",
    doc: "Multiplies its input by a gain limited to a range, for tuning during a run",
    formula: "y = min(max(k, low), high)·u",
    aliases: &["slider", "knob", "potentiometer", "adjustable gain"],
    look: Look { body: Body::Triangle, face: Face::Param("Gain") },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Low", &[0.0]).doc("The minimum gain"),
        ParamDef::number("Gain", &[1.0]).doc("The gain k"),
        ParamDef::number("High", &[2.0]).doc("The maximum gain"),
    ],
    build: |b| b.output(0, b.param("Gain").clamp(b.param("Low"), b.param("High")) * b.input(0)),
    examples: &[Example {
        doc: "A gain above the maximum",
        options: &[("Gain", &["5"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, -3.0]],
        outputs: &[&[2.0, -6.0]],
    }],
};
