use std::f64::consts::TAU;

use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Notch Filter",
    doc: "Removes one frequency from its input, or lets only that frequency pass",
    formula: "H(s) = (s² + ω₀²)/(s² + ω₀/Q·s + ω₀²), peak: ω₀/Q·s/(s² + ω₀/Q·s + ω₀²), ω₀ = 2π·f \
              (Orfanidis: Introduction to Signal Processing, 1996, section 11.3)",
    aliases: &["notch", "peak filter", "notch-peak filter", "band stop", "hum filter", "resonator", "band reject"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.2), (0.4, 0.24), (0.5, 0.9), (0.6, 0.24), (0.9, 0.2)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Type", &["notch", "peak"]).doc("Whether the frequency is removed, or alone passes"),
        ParamDef::number("Frequency", &[50.0])
            .vector()
            .above_zero(1e12)
            .unit("Hz")
            .doc("The frequency f, at which a notch has no and a peak has unit gain"),
        ParamDef::number("Quality Factor", &[10.0])
            .vector()
            .above_zero(1e12)
            .doc("The quality factor Q: f divided by the width of the band between the points of −3.01 dB"),
    ],
    build: |b| {
        let (u, quality) = (b.input(0), b.param("Quality Factor"));
        let turn = b.param("Frequency") * TAU;
        let width = b.common_width(&[u, quality, turn]);
        // The peak and its integral times ω₀, both of the size of the input.
        let (peak, sum) = (b.continuous(width, b.constant(0.0)), b.continuous(width, b.constant(0.0)));
        peak.derivative(turn * ((u - peak.value) / quality - sum.value));
        sum.derivative(turn * peak.value);
        b.output(0, if b.settings().choice("Type") == "peak" { peak.value } else { u - peak.value });
    },
    examples: &[
        Example {
            doc: "A step response, with Euler's method",
            options: &[("Frequency", &["0.15915494309189535"]), ("Quality Factor", &["0.5"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, 1.0]],
            outputs: &[&[1.0, 0.0, 0.0, 0.25]],
        },
        Example {
            doc: "The same of a peak",
            options: &[("Type", &["peak"]), ("Frequency", &["0.15915494309189535"]), ("Quality Factor", &["0.5"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 1.0, 0.75]],
        },
    ],
};
