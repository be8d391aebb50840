use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Abs",
    doc: "Gives the size of its input, without the sign",
    formula: "y = |u|",
    aliases: &["absolute value", "magnitude", "abs_value"],
    look: Look::rect(Face::Text("|u|")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        b.crossing(b.input(0));
        b.output(0, b.input(0).abs());
    },
    examples: &[Example {
        doc: "Both signs",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[2.0, -3.0]],
        outputs: &[&[2.0, 3.0]],
    }],
};
