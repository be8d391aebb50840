use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};
use std::f64::consts::TAU;

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Sine",
    doc: "Generates a sine wave",
    formula: "y = A·sin(ω·t + φ) + bias",
    aliases: &[
        "sine wave",
        "sinus",
        "oscillator",
        "signal generator",
        "gensin_f",
        "sinusoidalsource",
        "simulate signal",
    ],
    look: Look::rect(Face::Strokes(&[&[
        (0.1, 0.5),
        (0.17, 0.31),
        (0.24, 0.21),
        (0.3, 0.2),
        (0.36, 0.25),
        (0.43, 0.38),
        (0.5, 0.5),
        (0.57, 0.62),
        (0.64, 0.75),
        (0.7, 0.8),
        (0.76, 0.79),
        (0.83, 0.69),
        (0.9, 0.5),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Amplitude", &[1.0]).vector().doc("The amplitude A"),
        ParamDef::number("Frequency", &[1.0]).vector().unit("rad/s").doc("The angular frequency ω"),
        ParamDef::number("Phase", &[0.0]).vector().unit("rad").doc("The phase φ at time 0"),
        ParamDef::number("Bias", &[0.0]).vector().doc("The constant that is added"),
    ],
    build: |b| {
        let angle = b.param("Frequency") * b.time() + b.param("Phase");
        b.limit_step(b.constant(TAU / 8.0) / b.param("Frequency").abs());
        b.output(0, b.param("Amplitude") * angle.sin() + b.param("Bias"));
    },
    examples: &[Example {
        doc: "A quarter period each second",
        options: &[("Amplitude", &["2"]), ("Frequency", &["1.5707963267948966"])],
        delta: 1.0,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 2.0]],
    }],
};
