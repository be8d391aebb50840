use crate::block::{BlockDef, Body, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Note",
    name: "Area",
    doc: "Draws a coloured frame with a title around blocks; moving it moves them",
    formula: "",
    aliases: &["frame", "group box", "region", "panel", "area"],
    look: Look { body: Body::Area, face: Face::Param("Title") },
    inputs: Ports::NONE,
    outputs: Ports::NONE,
    params: &[ParamDef::text("Title", "Area").doc("The title at the upper edge of the frame")],
    build: |_| {},
    examples: &[],
};
