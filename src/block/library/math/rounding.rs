use crate::block::library::steps;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Rounding",
    doc: "Rounds its input to an integer",
    formula: "y = ⌊u⌋, ⌈u⌉, the nearest (half away from zero), or towards zero",
    aliases: &["rounding function", "round", "floor", "ceil", "fix", "truncate", "integer part", "quantize"],
    look: Look::rect(Face::Param("Function")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice("Function", &["floor", "ceil", "round", "fix"])
        .doc("Whether to round down, up, to the nearest, or towards zero")],
    build: |b| b.output(0, steps::rounded(b, b.input(0), b.settings().choice("Function"))),
    examples: &[
        Example {
            doc: "Down",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.5, -2.5]],
            outputs: &[&[2.0, -3.0]],
        },
        Example {
            doc: "To the nearest, half away from zero",
            options: &[("Function", &["round"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.5, -2.5, 0.49]],
            outputs: &[&[3.0, -3.0, 0.0]],
        },
        Example {
            doc: "Towards zero",
            options: &[("Function", &["fix"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.7, -2.7]],
            outputs: &[&[2.0, -2.0]],
        },
    ],
};
