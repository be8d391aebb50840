use crate::block::library::window::{INITIAL, LENGTH, START, reduced};
use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Statistics",
    name: "Moving Average",
    doc: "Computes the mean of the last samples of its input",
    formula: "y[n] = (u[n−N+1] + … + u[n])/N, added anew in each step, so that no error accumulates",
    aliases: &[
        "sliding mean",
        "rolling mean",
        "running average",
        "boxcar",
        "moving mean",
        "mean of a window",
        "smooth",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.8), (0.18, 0.5), (0.26, 0.75), (0.34, 0.35), (0.42, 0.6), (0.5, 0.25), (0.58, 0.55), (0.66, 0.2)],
        &[(0.1, 0.7), (0.34, 0.55), (0.58, 0.38), (0.9, 0.25)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[LENGTH, START, INITIAL, ParamDef::SAMPLE_TIME, ParamDef::SAMPLE_OFFSET],
    build: |b| {
        let (sum, count) = reduced(b, Binary::Add, |sample| sample);
        b.output(0, sum / count);
    },
    examples: &[
        Example {
            doc: "Three samples; of fewer at the start",
            options: &[("Window", &["3"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[3.0, 6.0, 9.0, 0.0, 0.0, 0.0]],
            outputs: &[&[3.0, 4.5, 6.0, 5.0, 3.0, 0.0]],
        },
        Example {
            doc: "The value 6 in place of the samples before the first, for two signals",
            options: &[("Window", &["3"]), ("Start", &["initial value"]), ("Initial Value", &["6"])],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[3.0, 0.0, 6.0, 0.0, 9.0, 0.0]],
            outputs: &[&[5.0, 4.0, 5.0, 2.0, 6.0, 0.0]],
        },
    ],
};
