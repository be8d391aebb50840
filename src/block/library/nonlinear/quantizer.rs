use crate::block::library::steps;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Quantizer",
    doc: "Rounds its input to the nearest multiple of an interval",
    formula: "y = q·round(u/q), half away from zero \
              (Widrow, Kollár: Quantization Noise, 2008, chapter 1)",
    aliases: &["quantize", "staircase", "resolution", "discretize", "adc", "rounding", "quant_f"],
    look: Look::rect(Face::Strokes(&[&[
        (0.1, 0.85),
        (0.3, 0.85),
        (0.3, 0.62),
        (0.5, 0.62),
        (0.5, 0.38),
        (0.7, 0.38),
        (0.7, 0.15),
        (0.9, 0.15),
    ]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Interval", &[0.5]).vector().positive().doc("The interval q between output values")],
    build: |b| {
        let (u, q) = (b.input(0), b.param("Interval"));
        let half = (q * 0.5).abs();
        b.output(0, steps::located(b, u, q * (u / q).round(), |_| [half, half]));
    },
    examples: &[Example {
        doc: "An interval of 0.5",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.2, 0.25, -0.6, 1.3]],
        outputs: &[&[0.0, 0.5, -0.5, 1.5]],
    }],
};
