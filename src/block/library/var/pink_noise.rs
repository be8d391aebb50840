use crate::block::{BlockDef, Clock, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Pink Noise",
    doc: "Generates noise whose power density is inversely proportional to the frequency",
    formula: "y = σ/√m · Σ of m normal numbers, the i-th drawn anew every 2^i samples (Voss, in Gardner: Scientific American, April 1978)",
    aliases: &["1/f noise", "flicker noise", "voss", "random", "pinknoise"],
    look: Look::rect(Face::Strokes(&[&[
        (0.06, 0.4),
        (0.14, 0.25),
        (0.2, 0.35),
        (0.28, 0.6),
        (0.34, 0.5),
        (0.42, 0.75),
        (0.5, 0.65),
        (0.58, 0.8),
        (0.66, 0.45),
        (0.74, 0.55),
        (0.82, 0.2),
        (0.92, 0.35),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Deviation", &[1.0]).between(0.0, f64::INFINITY).doc("The standard deviation σ"),
        ParamDef::integer("Octaves", 16, 1, 40)
            .doc("The number m of added sources; each extends the spectrum down by an octave"),
        ParamDef::SEED,
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let octaves = b.settings().integer("Octaves") as usize;
        let spans: Vec<f64> = (0..octaves as i32).map(|octave| 2f64.powi(octave)).collect();
        let held = (b.clock(Clock::Step) / b.vector(&spans)).floor();
        let uniform = b.random(held, octaves) + 0.5 / (1u64 << 53) as f64;
        b.output(0, b.param("Deviation") * uniform.probit().sum() / (octaves as f64).sqrt());
    },
    examples: &[],
};
