use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Rate Transition",
    doc: "Transfers a signal between blocks of different sample times",
    formula: "y = u at each sample, held in between; where delayed, u of the sample before",
    aliases: &["sample rate", "resample", "zoh", "multirate", "decimate"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.7), (0.3, 0.7), (0.3, 0.4), (0.5, 0.4)],
        &[(0.5, 0.6), (0.6, 0.6), (0.6, 0.5), (0.7, 0.5), (0.7, 0.35), (0.8, 0.35), (0.8, 0.25), (0.9, 0.25)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::flag("Delayed", false)
            .doc("Whether the output is delayed by one sample, so that it does not depend on the execution order"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output at the first sample, where it is delayed"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        b.output(0, if b.settings().flag("Delayed") { b.before(u, b.param("Initial Value")) } else { u });
    },
    examples: &[
        Example {
            doc: "To a slower rate",
            options: &[("Sample Time", &["2"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0]],
            outputs: &[&[1.0, 1.0, 3.0, 3.0]],
        },
        Example {
            doc: "Delayed by one sample",
            options: &[("Sample Time", &["2"]), ("Delayed", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0, 5.0]],
            outputs: &[&[0.0, 0.0, 1.0, 1.0, 3.0]],
        },
    ],
};
