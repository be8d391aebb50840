use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Unary Minus",
    doc: "Negates its input",
    formula: "y = −u",
    aliases: &["negate", "negative", "minus", "inverse sign", "change sign"],
    look: Look::rect(Face::Text("−u")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, -b.input(0)),
    examples: &[Example {
        doc: "A positive and a negative number",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[2.0, -3.0]],
        outputs: &[&[-2.0, 3.0]],
    }],
};
