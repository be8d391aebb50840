use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Expand Scalar",
    doc: "Expands a scalar to a vector of equal elements",
    formula: "y = [u u …]",
    aliases: &["fill", "repeat", "repmat", "broadcast", "replicate"],
    look: Look::rect(Face::Text("[u u u]")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::integer("Width", 2, 1, 100_000).doc("The number of output elements")],
    build: |b| {
        let u = b.scalar_input(0);
        b.output(0, u + b.vector(&vec![0.0; b.settings().integer("Width") as usize]) * 0.0);
    },
    examples: &[Example {
        doc: "Three elements",
        options: &[("Width", &["3"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[7.0]],
        outputs: &[&[7.0, 7.0, 7.0]],
    }],
};
