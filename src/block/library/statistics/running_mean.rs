use crate::block::library::linear::RESETS;
use crate::block::library::running::{Moments, inputs};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Statistics",
    name: "Running Mean",
    doc: "Computes the mean of all samples of its input since the start or the last reset",
    formula: "y[n] = y[n−1] + (u[n] − y[n−1])/n, n = 1, 2, … (B. P. Welford, Technometrics 4, 1962)",
    aliases: &["mean", "average", "cumulative average", "expected value", "mean so far", "average so far"],
    look: Look::rect(Face::Text("x̄")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Reset", &RESETS).doc(
            "Which edge of the input Reset begins anew with the current sample; level: while the input is nonzero",
        ),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| b.output(0, Moments::of_input(b).mean),
    examples: &[
        Example {
            doc: "The mean of 2, 4, 9 and 1",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 4.0, 9.0, 1.0]],
            outputs: &[&[2.0, 3.0, 5.0, 4.0]],
        },
        Example {
            doc: "Begun anew at a reset",
            options: &[("Reset", &["rising"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 4.0, 9.0, 1.0], &[0.0, 0.0, 1.0, 1.0]],
            outputs: &[&[2.0, 3.0, 9.0, 5.0]],
        },
    ],
};
