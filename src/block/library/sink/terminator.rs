use crate::block::{BlockDef, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Sink",
    name: "Terminator",
    doc: "Terminates an unused signal",
    formula: "",
    aliases: &["ground", "null", "discard"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.5), (0.6, 0.5)], &[(0.6, 0.2), (0.6, 0.8)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::NONE,
    params: &[],
    build: |_| {},
    examples: &[],
};
