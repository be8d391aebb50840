use crate::block::{BlockDef, Body, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Mux",
    doc: "Joins its inputs into one vector",
    formula: "y = [u₁ u₂ …]",
    aliases: &["vector", "concatenate", "join", "build array", "bus to vector", "bundle"],
    look: Look { body: Body::Bar, face: Face::Empty },
    inputs: Ports::Counted { stem: "Input", param: "Inputs" },
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::integer("Inputs", 2, 1, 1000).doc("The number of inputs")],
    build: |b| b.output(0, b.join(&b.inputs())),
    examples: &[Example {
        doc: "A scalar and a vector",
        options: &[],
        delta: 1.0,
        widths: &[1, 2],
        inputs: &[&[1.0], &[2.0, 3.0]],
        outputs: &[&[1.0, 2.0, 3.0]],
    }],
};
