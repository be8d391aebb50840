use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Abs",
    doc: "Computes the absolute value of its input",
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
        doc: "A positive and a negative number",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[2.0, -3.0]],
        outputs: &[&[2.0, 3.0]],
    }],
};
