use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "Width",
    doc: "Tells how many lanes its input has",
    formula: "y = number of lanes",
    aliases: &["length", "size", "dimension", "numel", "count"],
    look: Look::rect(Face::Text("width")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.constant(b.input(0).width() as f64)),
    examples: &[Example {
        doc: "Of a vector",
        options: &[],
        delta: 1.0,
        widths: &[3],
        inputs: &[&[1.0, 2.0, 3.0]],
        outputs: &[&[3.0]],
    }],
};
