use crate::block::{BlockDef, Face, Look, Ports, Reaction};

pub static DEF: BlockDef = BlockDef {
    group: "Sink",
    name: "Stop",
    doc: "Ends the run after the step in which any element of its input is nonzero",
    formula: "the run ends after the step in which u ≠ 0",
    aliases: &["stop simulation", "end", "finish", "halt", "terminate", "endblk", "end simulation"],
    look: Look::rect(Face::Text("STOP")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::NONE,
    params: &[],
    build: |b| b.report(Reaction::Finish, b.input(0), "the input is not 0, which ends the run"),
    examples: &[],
};
