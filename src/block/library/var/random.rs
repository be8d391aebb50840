use crate::block::{BlockDef, Builder, Clock, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Random",
    doc: "Generates uniformly distributed random numbers, the same in every run",
    formula: "y = low + (high − low)·U, U uniform from seed and step number alone \
              (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)",
    aliases: &[
        "uniform random number",
        "rand",
        "uniform",
        "rand_m",
        "randomnumbergenerator",
        "prbs",
        "pseudorandom binary sequence",
    ],
    look: Look::rect(Face::Strokes(&[&[
        (0.08, 0.55),
        (0.2, 0.55),
        (0.2, 0.25),
        (0.34, 0.25),
        (0.34, 0.7),
        (0.5, 0.7),
        (0.5, 0.4),
        (0.64, 0.4),
        (0.64, 0.8),
        (0.78, 0.8),
        (0.78, 0.3),
        (0.92, 0.3),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Low Value", &[0.0]).vector().doc("The lower limit, included"),
        ParamDef::number("High Value", &[1.0]).vector().doc("The upper limit, excluded"),
        ParamDef::SEED,
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (low, high) = (b.param("Low Value"), b.param("High Value"));
        let width = b.common_width(&[low, high]);
        b.output(0, low + (high - low) * draws(b, width));
    },
    examples: &[],
};

/// Returns uniform numbers in [0, 1), new ones at each sample.
pub(super) fn draws<'b>(b: &'b Builder<'b>, width: usize) -> Expr<'b> {
    b.random(b.clock(Clock::Step), width)
}
