use super::random::draws;
use crate::block::{BlockDef, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Noise",
    doc: "Generates normally distributed random numbers, the same in every run",
    formula: "y = μ + σ·Φ⁻¹(U), U uniform from seed and step number alone \
              (Devroye: Non-Uniform Random Variate Generation, 1986, section II.2; Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)",
    aliases: &["random number", "gaussian", "normal", "white noise", "whitenoise"],
    look: Look::rect(Face::Strokes(&[&[
        (0.08, 0.5),
        (0.16, 0.3),
        (0.22, 0.62),
        (0.3, 0.45),
        (0.36, 0.8),
        (0.43, 0.25),
        (0.5, 0.55),
        (0.57, 0.38),
        (0.64, 0.72),
        (0.7, 0.2),
        (0.78, 0.6),
        (0.85, 0.45),
        (0.92, 0.5),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Mean", &[0.0]).vector().doc("The mean μ"),
        ParamDef::number("Deviation", &[1.0]).vector().between(0.0, f64::INFINITY).doc("The standard deviation σ"),
        ParamDef::SEED,
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (mean, deviation) = (b.param("Mean"), b.param("Deviation"));
        let width = b.common_width(&[mean, deviation]);
        // Half a grid step is added, so that the number is not 0 and the quantile is finite.
        let uniform = draws(b, width) + 0.5 / (1u64 << 53) as f64;
        b.output(0, mean + deviation * uniform.probit());
    },
    examples: &[],
};
