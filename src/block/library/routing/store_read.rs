use crate::block::{BlockDef, Face, Look, ParamDef, Ports, TagRole};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Data Store Read",
    doc: "Reads the value of a data store at the start of the step",
    formula: "y = x[n] of the store",
    aliases: &["read store", "get variable", "global variable", "shared variable"],
    look: Look::rect(Face::Param("Name")),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::tag("Name", "store", TagRole::Receiver).doc("The name of the store")],
    build: |b| b.output(0, b.input(0)),
    examples: &[],
};
