use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Digital Clock",
    doc: "Outputs the time at its samples and holds it in between",
    formula: "y = kT for kT ≤ t < (k+1)T",
    aliases: &["sampled time", "discrete clock", "time", "timer"],
    look: Look::rect(Face::Text("12:34")),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::SAMPLE_TIME, ParamDef::SAMPLE_OFFSET],
    build: |b| b.output(0, b.step_time()),
    examples: &[Example {
        doc: "Every second step",
        options: &[("Sample Time", &["1"])],
        delta: 0.5,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 0.0, 1.0, 1.0, 2.0]],
    }],
};
