use crate::block::{BlockDef, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Note",
    name: "Text",
    doc: "Says something about the model to those who read it",
    formula: "",
    aliases: &["docblock", "text note on canvas", "model info", "annotation", "comment", "label", "text_f", "markdown"],
    look: Look::rect(Face::Param("Text")),
    inputs: Ports::NONE,
    outputs: Ports::NONE,
    params: &[ParamDef::text("Text", "A note").doc("What it says, in Markdown")],
    build: |_| {},
    examples: &[],
};
