use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Clock",
    doc: "Outputs the simulation time in seconds",
    formula: "y = t = n·Δ",
    aliases: &["time", "timer", "t", "time_f", "clocksource"],
    look: Look::rect(Face::Strokes(&[
        &[
            (0.5, 0.15),
            (0.75, 0.25),
            (0.85, 0.5),
            (0.75, 0.75),
            (0.5, 0.85),
            (0.25, 0.75),
            (0.15, 0.5),
            (0.25, 0.25),
            (0.5, 0.15),
        ],
        &[(0.5, 0.28), (0.5, 0.5), (0.66, 0.6)],
    ])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.time()),
    examples: &[Example {
        doc: "A step of 0.1 s",
        options: &[],
        delta: 0.1,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 0.1, 0.2, 0.3]],
    }],
};
