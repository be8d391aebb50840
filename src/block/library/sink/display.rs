use crate::block::{BlockDef, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Sink",
    name: "Display",
    doc: "Shows the last value of its input as a number",
    formula: "",
    aliases: &["value", "number", "indicator", "meter", "affich_m", "numeric indicator"],
    look: Look::rect(Face::Live),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::NONE,
    params: &[],
    build: |_| {},
    examples: &[],
};
