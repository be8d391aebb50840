use crate::block::{BlockDef, Body, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Note",
    name: "Area",
    doc: "A coloured frame with a title round blocks that belong together; moving it moves them",
    formula: "",
    aliases: &["frame", "group box", "region", "panel", "area"],
    look: Look { body: Body::Area, face: Face::Param("Title") },
    inputs: Ports::NONE,
    outputs: Ports::NONE,
    params: &[ParamDef::text("Title", "Area").doc("Stands at the frame's upper edge")],
    build: |_| {},
    examples: &[],
};
