use crate::block::{BlockDef, Clock, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Band-Limited White Noise",
    doc: "Generates normally distributed white noise of a given power density",
    formula: "y = √(power/T)·Φ⁻¹(U), a new one every T seconds \
              (Simulink reference: Band-Limited White Noise)",
    aliases: &["white noise", "noise power", "random", "gaussian noise", "disturbance", "whitenoise"],
    look: Look::rect(Face::Strokes(&[&[
        (0.06, 0.5),
        (0.12, 0.2),
        (0.18, 0.75),
        (0.24, 0.4),
        (0.3, 0.85),
        (0.36, 0.3),
        (0.42, 0.6),
        (0.48, 0.15),
        (0.54, 0.7),
        (0.6, 0.35),
        (0.66, 0.8),
        (0.72, 0.25),
        (0.78, 0.6),
        (0.84, 0.4),
        (0.92, 0.55),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Noise Power", &[0.1])
            .vector()
            .between(0.0, f64::INFINITY)
            .doc("The two-sided power spectral density, in the square of the signal's unit per hertz"),
        ParamDef::SEED,
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let power = b.param("Noise Power");
        // Half a grid step is added, so that the number is not 0 and the quantile is finite.
        let uniform = b.random(b.clock(Clock::Step), power.width()) + 0.5 / (1u64 << 53) as f64;
        b.output(0, (power / b.delta()).sqrt() * uniform.probit());
    },
    examples: &[],
};
