use crate::block::{BlockDef, Face, Look, ParamDef, Ports, TagRole};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Goto",
    doc: "Sends its input to all From blocks with the same tag, without a wire",
    formula: "y = u in every From with this tag",
    aliases: &["tag", "goto tag", "goto tag visibility", "send", "label", "signal name", "local variable", "gotomo"],
    look: Look::rect(Face::Param("Tag")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::NONE,
    params: &[ParamDef::tag("Tag", "tag", TagRole::Sender).doc("The tag, unique in its model"), ParamDef::TAG_REACH],
    build: |b| b.output(0, b.input(0)),
    examples: &[],
};
