use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "Width",
    doc: "Outputs the number of elements of its input",
    formula: "y = number of elements",
    aliases: &["length", "size", "dimension", "numel", "count"],
    look: Look::rect(Face::Text("width")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.constant(b.input(0).width() as f64)),
    examples: &[Example {
        doc: "A vector of three elements",
        options: &[],
        delta: 1.0,
        widths: &[3],
        inputs: &[&[1.0, 2.0, 3.0]],
        outputs: &[&[3.0]],
    }],
};
