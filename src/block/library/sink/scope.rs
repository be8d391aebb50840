use crate::block::{BlockDef, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Sink",
    name: "Scope",
    doc: "Plots its inputs over time",
    formula: "",
    aliases: &[
        "plot",
        "oscilloscope",
        "graph",
        "chart",
        "record",
        "cscope",
        "waveform chart",
        "xy graph",
        "xy plot",
        "strip chart",
        "viewer",
    ],
    look: Look::rect(Face::Curve(&[
        &[(0.12, 0.15), (0.88, 0.15), (0.88, 0.85), (0.12, 0.85), (0.12, 0.15)],
        &[(0.2, 0.6), (0.32, 0.35), (0.45, 0.3), (0.56, 0.55), (0.68, 0.65), (0.8, 0.45)],
    ])),
    inputs: Ports::Counted { stem: "Input", param: "Inputs" },
    outputs: Ports::NONE,
    params: &[ParamDef::integer("Inputs", 1, 1, 100).doc("The number of inputs")],
    build: |_| {},
    examples: &[],
};
