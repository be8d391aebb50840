use crate::block::{BlockDef, Body, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Note",
    name: "Text",
    doc: "Shows a note in the diagram, with headings, lists, bold, italic and code as in Markdown",
    formula: "",
    aliases: &[
        "note",
        "comment",
        "annotation",
        "remark",
        "label",
        "markdown",
        "free label",
        "docblock",
        "text note on canvas",
        "model info",
        "text_f",
    ],
    look: Look { body: Body::Note, face: Face::Param("Text") },
    inputs: Ports::NONE,
    outputs: Ports::NONE,
    params: &[ParamDef::text("Text", "Note").doc("The text of the note")],
    build: |_| {},
    examples: &[],
};
