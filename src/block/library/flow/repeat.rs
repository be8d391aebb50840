use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Flow",
    name: "Repeat",
    doc: "Runs the blocks that depend on its output several times in one step",
    formula: "y = 0, 1, …, ⌊u⌋ − 1 in one step; states that depend on it are committed once, from the last iteration",
    aliases: &["for", "loop", "iterate", "for iterator"],
    look: Look::rect(Face::Text("0…n")),
    inputs: Ports::Fixed(&["Times"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Limit", &[1000.0])
        .between(0.0, 1e6)
        .doc("The maximum number of iterations in one step")],
    build: |b| {
        b.iterations(b.scalar_input(0).min(b.param("Limit")));
        b.output(0, b.clock(Clock::Iteration));
    },
    examples: &[Example {
        doc: "The last value in each step",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 3.0, 5.5]],
        outputs: &[&[0.0, 2.0, 4.0]],
    }],
};
