use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Static",
    doc: "Outputs a constant value",
    formula: "y = v",
    aliases: &["constant", "value", "const", "const_m", "numeric constant"],
    look: Look::rect(Face::Param("Value")),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Value", &[1.0]).vector().doc("The value v; several make a vector")],
    build: |b| b.output(0, b.param("Value")),
    examples: &[Example {
        doc: "The constant 5.5",
        options: &[("Value", &["5.5"])],
        delta: 1.0,
        widths: &[],
        inputs: &[],
        outputs: &[&[5.5, 5.5]],
    }],
};
