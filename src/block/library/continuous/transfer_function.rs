use crate::block::library::linear::{polynomial_param, proper};
use crate::block::library::transfer::{INITIAL_OUTPUT, continuous_from};
use crate::block::limits::MAX_COEFFICIENTS;
use crate::block::{BlockDef, Builder, Example, Face, Look, ParamDef, PolynomialIn, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "Transfer Function",
    doc: "Applies a continuous transfer function given by two polynomials in s",
    formula: "Y(s) = N(s)/D(s)·U(s), in controllable canonical form, scaled to the mean of its poles (Kailath: Linear Systems, 1980, section 2.1)",
    aliases: &[
        "transfer fcn",
        "filter",
        "pt1",
        "pt2",
        "lag",
        "laplace",
        "clr",
        "transferfunction",
        "transferfunctionnumden",
    ],
    look: Look::rect(Face::Polynomials("Numerator", "Denominator", PolynomialIn::Always("s"))),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Numerator", &[1.0])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The coefficients of N, highest power first"),
        ParamDef::number("Denominator", &[1.0, 1.0])
            .vector_of(MAX_COEFFICIENTS)
            .fixed()
            .doc("The coefficients of D, highest power first"),
        INITIAL_OUTPUT,
    ],
    build,
    examples: &[
        Example {
            doc: "1/s is an integrator",
            options: &[("Denominator", &["1", "0"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 2.0]],
            outputs: &[&[0.0, 1.0, 2.0]],
        },
        Example {
            doc: "1/s² from 3 with the slope −2",
            options: &[("Denominator", &["1", "0", "0"]), ("Initial Output", &["3", "-2"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[0.0, 0.0, 0.0]],
            outputs: &[&[3.0, 2.0, 1.0]],
        },
        Example {
            doc: "Without s it is a gain",
            options: &[("Numerator", &["0", "6"]), ("Denominator", &["0", "2"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, -1.0]],
            outputs: &[&[3.0, -3.0]],
        },
    ],
};

fn build(b: &Builder) {
    let u = b.scalar_input(0);
    let (numerator, denominator) = (polynomial_param(b, "Numerator"), polynomial_param(b, "Denominator"));
    let system = proper(b, &numerator, &denominator, ["Numerator", "Denominator"]);
    b.output(0, system.map_or(u, |section| continuous_from(b, u, &[section])));
}
