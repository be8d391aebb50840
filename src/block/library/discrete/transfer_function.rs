use crate::block::library::linear::{discrete, polynomial_param, proper};
use crate::block::limits::MAX_COEFFICIENTS;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete Transfer Function",
    doc: "Applies a discrete transfer function given by two polynomials in z",
    formula: "Y(z) = N(z)/D(z)·U(z), in direct form II transposed \
              (Oppenheim, Schafer: Discrete-Time Signal Processing, section 6.3)",
    aliases: &["discrete transfer fcn", "dlr", "digital filter", "z transform", "transfer fcn"],
    look: Look::rect(Face::Polynomials("Numerator", "Denominator", "z")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Numerator", &[1.0])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The coefficients of N, highest power of z first"),
        ParamDef::number("Denominator", &[1.0, 0.5])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The coefficients of D, highest power of z first"),
        ParamDef::number("Initial State", &[0.0])
            .vector()
            .doc("The initial states, one value for all or one for each, the one next to the output first"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        let (n, d) = (polynomial_param(b, "Numerator"), polynomial_param(b, "Denominator"));
        let system = proper(b, &n, &d, ["Numerator", "Denominator"]);
        b.output(0, system.map_or(u, |(n, d)| discrete(b, u, &n, &d, b.param("Initial State"))));
    },
    examples: &[Example {
        doc: "1/(z + 0.5)",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0]],
        outputs: &[&[0.0, 1.0, 0.5]],
    }],
};
