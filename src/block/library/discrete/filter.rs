use crate::block::library::linear::discrete;
use crate::block::limits::MAX_COEFFICIENTS;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete Filter",
    doc: "Filters its input with a recursive filter given by two polynomials in 1/z",
    formula: "y[n] = (b₀·u[n] + b₁·u[n−1] + … − a₁·y[n−1] − …)/a₀, in direct form II transposed \
              (Oppenheim, Schafer: Discrete-Time Signal Processing, section 6.3)",
    aliases: &[
        "iir",
        "iir filter",
        "digital filter",
        "difference equation",
        "arma",
        "transfer fcn direct form ii",
        "lfilter",
    ],
    look: Look::rect(Face::Fraction("B(1/z)", "A(1/z)")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Numerator", &[1.0])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The coefficients b₀, b₁, … in ascending powers of 1/z"),
        ParamDef::number("Denominator", &[1.0, 0.5])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The coefficients a₀, a₁, …; a₀ is nonzero"),
        ParamDef::number("Initial State", &[0.0])
            .vector()
            .doc("The initial states, one value for all or one for each, the one next to the output first"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        let (n, d) = (b.settings().numbers("Numerator"), b.settings().numbers("Denominator"));
        if d[0] == 0.0 {
            b.refuse("Denominator", "the first coefficient must not be 0");
        }
        let scaled = |values: &[f64]| values.iter().map(|value| value / d[0]).collect::<Vec<_>>();
        b.output(0, discrete(b, u, &scaled(n), &scaled(d), b.param("Initial State")));
    },
    examples: &[Example {
        doc: "y[n] = u[n] − 0.5·y[n−1]",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0]],
        outputs: &[&[1.0, 0.5, 0.75]],
    }],
};
