use std::f64::consts::{PI, TAU};

use crate::block::library::linear::discrete;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Unary};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete Notch Filter",
    doc: "Removes one frequency from its sampled input, or lets only that frequency pass",
    formula: "H(z) = g·(1 − 2·cos θ/z + 1/z²)/(1 − 2·g·cos θ/z + (2g − 1)/z²), peak: (1 − g)·(1 − 1/z²) over the same, \
              θ = 2π·f·T, g = 1/(1 + tan(θ/2Q)) (Orfanidis: Introduction to Signal Processing, 1996, section 11.3)",
    aliases: &[
        "notch",
        "iirnotch",
        "iirpeak",
        "peak filter",
        "notch-peak filter",
        "band stop",
        "hum filter",
        "resonator",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.2), (0.4, 0.24), (0.5, 0.85), (0.6, 0.24), (0.9, 0.2)],
        &[(0.2, 0.92), (0.2, 0.98)],
        &[(0.4, 0.92), (0.4, 0.98)],
        &[(0.6, 0.92), (0.6, 0.98)],
        &[(0.8, 0.92), (0.8, 0.98)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Type", &["notch", "peak"]).doc("Whether the frequency is removed, or alone passes"),
        ParamDef::number("Frequency", &[0.1])
            .above_zero(1e12)
            .fixed()
            .unit("Hz")
            .doc("The frequency f, at which a notch has no and a peak has unit gain"),
        ParamDef::number("Quality Factor", &[10.0])
            .above_zero(1e12)
            .fixed()
            .doc("The quality factor Q: f divided by the width of the band between the points of −3.01 dB"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (frequency, quality) = (b.settings().number("Frequency"), b.settings().number("Quality Factor"));
        let nyquist = 0.5 / b.delta();
        if frequency >= nyquist {
            b.refuse("Frequency", format!("it must be below half the sampling rate, which is {nyquist} Hz"));
            return b.output(0, b.input(0));
        }
        if frequency / quality >= nyquist {
            b.refuse("Quality Factor", "the width of the band must be below half the sampling rate");
            return b.output(0, b.input(0));
        }
        let half_width = Unary::Tan.value(PI * frequency * b.delta() / quality);
        let (gain, cosine) = (1.0 / (1.0 + half_width), Unary::Cos.value(TAU * frequency * b.delta()));
        let numerator = match b.settings().choice("Type") {
            "peak" => [half_width * gain, 0.0, -half_width * gain],
            _ => [gain, -2.0 * gain * cosine, gain],
        };
        // 2g − 1 without a difference of numbers near 1.
        let denominator = [1.0, -2.0 * gain * cosine, (1.0 - half_width) * gain];
        b.output(0, discrete(b, b.input(0), &numerator, &denominator, b.constant(0.0)));
    },
    examples: &[Example {
        doc: "A quarter of the sampling rate, with the quality factor 1: the mean of u[n] and u[n−2]",
        options: &[("Frequency", &["0.25"]), ("Quality Factor", &["1"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 0.0, -1.0, 0.0, 1.0, 0.0]],
        outputs: &[&[0.5, 0.0, 0.0, 0.0, 0.0, 0.0]],
    }],
};
