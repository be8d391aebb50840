use crate::block::library::linear::discrete;
use crate::block::limits::MAX_COEFFICIENTS;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete FIR Filter",
    doc: "Computes a weighted sum of the last samples of its input",
    formula: "y[n] = b₀·u[n] + b₁·u[n−1] + …",
    aliases: &["fir", "finite impulse response", "moving average", "convolution", "weighted moving average"],
    look: Look::rect(Face::Text("Σ bᵢz⁻ⁱ")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Coefficients", &[0.5, 0.5])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The weights b₀, b₁, …, that of the current sample first"),
        ParamDef::number("Initial State", &[0.0])
            .vector()
            .doc("The initial states, one value for all or one for each, the one next to the output first"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        b.output(0, discrete(b, u, b.settings().numbers("Coefficients"), &[1.0], b.param("Initial State")));
    },
    examples: &[Example {
        doc: "The moving average of two samples",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[2.0, 4.0, 8.0]],
        outputs: &[&[1.0, 3.0, 6.0]],
    }],
};
