use crate::block::library::window::{INITIAL, LENGTH, START, reduced};
use crate::block::{Binary, BlockDef, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Statistics",
    name: "Moving RMS",
    doc: "Computes the root mean square of the last samples of its input",
    formula: "y[n] = √((u[n−N+1]² + … + u[n]²)/N), added anew in each step and without overflow of the squares",
    aliases: &["rms", "root mean square", "effective value", "rolling rms", "quadratic mean", "rms value"],
    look: Look::rect(Face::Text("√(ū²)")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[LENGTH, START, INITIAL, ParamDef::SAMPLE_TIME, ParamDef::SAMPLE_OFFSET],
    build: |b| {
        let (root, count) = reduced(b, Binary::Hypot, Expr::abs);
        b.output(0, root / count.sqrt());
    },
    examples: &[
        Example {
            doc: "Two samples; of one at the start",
            options: &[("Window", &["2"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[-7.0, 1.0, -7.0, 17.0]],
            outputs: &[&[7.0, 5.0, 5.0, 13.0]],
        },
        Example {
            doc: "Zero in place of the samples before the first",
            options: &[("Window", &["4"]), ("Start", &["initial value"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, -4.0, 4.0, -8.0]],
            outputs: &[&[1.0, 2.23606797749979, 3.0, 5.0]],
        },
    ],
};
