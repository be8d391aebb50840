use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Sine Function",
    doc: "Computes the sine of its input with amplitude, frequency, phase and bias",
    formula: "y = A·sin(ω·u + φ) + bias",
    aliases: &["sine wave function", "sine of input", "oscillator from time"],
    look: Look::rect(Face::Text("sin ωu")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Amplitude", &[1.0]).vector().doc("The amplitude A"),
        ParamDef::number("Frequency", &[1.0]).vector().unit("rad/s").doc("The angular frequency ω"),
        ParamDef::number("Phase", &[0.0]).vector().unit("rad").doc("The phase φ at input 0"),
        ParamDef::number("Bias", &[0.0]).vector().doc("The constant that is added"),
    ],
    build: |b| {
        let angle = b.param("Frequency") * b.input(0) + b.param("Phase");
        b.output(0, b.param("Amplitude") * angle.sin() + b.param("Bias"));
    },
    examples: &[Example {
        doc: "A quarter period at input 1",
        options: &[("Amplitude", &["2"]), ("Frequency", &["1.5707963267948966"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 1.0]],
        outputs: &[&[0.0, 2.0]],
    }],
};
