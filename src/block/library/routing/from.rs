use crate::block::{BlockDef, Face, Look, ParamDef, Ports, TagWay};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "From",
    doc: "Gives the signal that has a name",
    formula: "y = the input of the Goto with this tag: of this model, else of the nearest one around it that is seen inside",
    aliases: &["tag", "from tag", "receive", "label", "signal name", "local variable", "frommo"],
    look: Look::rect(Face::Param("Tag")),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::tag("Tag", "tag", TagWay::Takes).doc("The name")],
    build: |b| b.output(0, b.input(0)),
    examples: &[],
};
