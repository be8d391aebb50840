use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Repeating Stair",
    doc: "Outputs the values of a list one after the other, periodically",
    formula: "y[k] = vᵢ, i = k mod length, k the number of the sample",
    aliases: &["repeating sequence stair", "sequence", "pattern", "step list"],
    look: Look::rect(Face::Strokes(&[&[
        (0.08, 0.5),
        (0.25, 0.5),
        (0.25, 0.8),
        (0.42, 0.8),
        (0.42, 0.2),
        (0.58, 0.2),
        (0.58, 0.6),
        (0.75, 0.6),
        (0.75, 0.35),
        (0.92, 0.35),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Values", &[3.0, 1.0, 4.0, 2.0, 1.0]).vector().doc("The list of values"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let values = b.param("Values");
        b.output(0, values.pick(b.clock(Clock::Step).modulo(values.width() as f64)));
    },
    examples: &[
        Example {
            doc: "Three values",
            options: &[("Values", &["3", "1", "4"])],
            delta: 1.0,
            widths: &[],
            inputs: &[],
            outputs: &[&[3.0, 1.0, 4.0, 3.0]],
        },
        Example {
            doc: "Every second step",
            options: &[("Values", &["3", "1"]), ("Sample Time", &["2"])],
            delta: 1.0,
            widths: &[],
            inputs: &[],
            outputs: &[&[3.0, 3.0, 1.0, 1.0, 3.0]],
        },
    ],
};
