use crate::block::library::discretized::{self, METHODS, PREWARP};
use crate::block::library::linear::{discrete, polynomial_param, proper};
use crate::block::limits::MAX_COEFFICIENTS;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, PolynomialIn, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Discrete Transfer Function",
    doc: "Applies a discrete transfer function given by two polynomials in z, or in s with a method to discretize it",
    formula: "Y(z) = N(z)/D(z)·U(z), in direct form II transposed; of polynomials in s tustin takes s = 2/T·(z − 1)/(z + 1) \
              (Oppenheim, Schafer: Discrete-Time Signal Processing, section 6.3)",
    aliases: &["discrete transfer fcn", "dlr", "digital filter", "z transform", "transfer fcn", "c2d", "tustin", "discretize"],
    look: Look::rect(Face::Polynomials("Numerator", "Denominator", PolynomialIn::Chosen { param: "Given As", choice: "continuous" })),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Given As", &["discrete", "continuous"])
            .doc("Whether the polynomials are in z, or in s and are discretized"),
        ParamDef::choice("Method", &METHODS).doc(
            "How a continuous system is discretized: exact for an input that is held or linear between samples, with its \
             impulse response, by the trapezoidal rule, or with poles and zeros z = exp(s·T)",
        ),
        PREWARP,
        ParamDef::number("Numerator", &[1.0])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The coefficients of N, highest power first"),
        ParamDef::number("Denominator", &[1.0, 0.5])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The coefficients of D, highest power first"),
        ParamDef::number("Initial State", &[0.0])
            .vector()
            .doc("The initial states, one value for all or one for each, the one next to the output first"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let u = b.input(0);
        let (n, d) = (polynomial_param(b, "Numerator"), polynomial_param(b, "Denominator"));
        let params = ["Numerator", "Denominator"];
        let system = match discretized::is_continuous(b) {
            true => discretized::transfer_function(b, &n, &d, params),
            false => proper(b, &n, &d, params),
        };
        b.output(0, system.map_or(u, |(n, d)| discrete(b, u, &n, &d, b.param("Initial State"))));
    },
    examples: &[
        Example {
            doc: "1/(z + 0.5)",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 0.5]],
        },
        Example {
            doc: "1/(2·s + 1) by the trapezoidal rule: (z + 1)/(5·z − 3)",
            options: &[("Given As", &["continuous"]), ("Method", &["tustin"]), ("Denominator", &["2", "1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0]],
            outputs: &[&[0.2, 0.52]],
        },
    ],
};
