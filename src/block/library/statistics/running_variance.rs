use crate::block::library::linear::RESETS;
use crate::block::library::running::{Moments, inputs};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Statistics",
    name: "Running Variance",
    doc: "Computes the variance or standard deviation of all samples of its input since the start or the last reset",
    formula: "S[n] = S[n−1] + (u[n] − m[n−1])·(u[n] − m[n]), m = mean; y = S/(n − 1), of a population S/n, or its root; \
              0 for one sample (B. P. Welford, Technometrics 4, 1962)",
    aliases: &["variance", "standard deviation", "std", "var", "sigma", "running standard deviation", "dispersion"],
    look: Look::rect(Face::Text("σ²")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Statistic", &["variance", "standard deviation"]).doc("What is computed"),
        ParamDef::choice("Of", &["sample", "population"]).doc(
            "Whether the sum of squares is divided by n − 1, which estimates the variance of what is sampled, or by n",
        ),
        ParamDef::choice("Reset", &RESETS).doc(
            "Which edge of the input Reset begins anew with the current sample; level: while the input is nonzero",
        ),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let moments = Moments::of_input(b);
        let squares = moments.squares(b);
        let variance = match b.settings().choice("Of") {
            "population" => squares / moments.count,
            // One sample has no deviation.
            _ => squares / (moments.count - 1.0).max(1.0),
        };
        b.output(0, if b.settings().choice("Statistic") == "variance" { variance } else { variance.sqrt() });
    },
    examples: &[
        Example {
            doc: "The variance of the samples 2, 4 and 9",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 4.0, 9.0]],
            outputs: &[&[0.0, 2.0, 13.0]],
        },
        Example {
            doc: "The standard deviation of the whole population 1, 5",
            options: &[("Statistic", &["standard deviation"]), ("Of", &["population"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 5.0]],
            outputs: &[&[0.0, 2.0]],
        },
        Example {
            doc: "Begun anew at a reset",
            options: &[("Reset", &["rising"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 4.0, 9.0, 1.0], &[0.0, 0.0, 1.0, 1.0]],
            outputs: &[&[0.0, 2.0, 0.0, 32.0]],
        },
    ],
};
