use crate::block::{BlockDef, Face, Look, ParamDef, Ports, TagRole};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "From",
    doc: "Outputs the signal of the Goto with the same tag",
    formula: "y = the input of the Goto with this tag in this model, else in the nearest enclosing model where it is visible inside",
    aliases: &["tag", "from tag", "receive", "label", "signal name", "local variable", "frommo"],
    look: Look::rect(Face::Param("Tag")),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::tag("Tag", "tag", TagRole::Receiver).doc("The tag")],
    build: |b| b.output(0, b.input(0)),
    examples: &[],
};
