use crate::block::{BlockDef, Body, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Mux",
    doc: "Joins signals to one vector",
    formula: "y = [u₁ u₂ …]",
    aliases: &["vector", "concatenate", "bus creator", "join"],
    look: Look { body: Body::Bar, face: Face::Empty },
    inputs: Ports::Counted { stem: "Input", param: "Inputs" },
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::integer("Inputs", 2, 1, 1000).doc("How many inputs there are")],
    build: |b| b.output(0, b.join(&b.inputs())),
    examples: &[],
};
