use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Running MinMax",
    doc: "Computes the maximum or minimum of its input since the start or the last reset",
    formula: "y[n] = max(y[n−1], u[n]) or min(y[n−1], u[n]), y[−1] = y₀; y₀ while the reset is nonzero",
    aliases: &["minmax running resettable", "peak", "peak hold", "envelope", "maximum so far", "minimum so far"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.8), (0.3, 0.3), (0.5, 0.3), (0.55, 0.3), (0.7, 0.15), (0.9, 0.15)],
        &[(0.3, 0.3), (0.45, 0.6), (0.55, 0.3)],
        &[(0.7, 0.15), (0.8, 0.5), (0.9, 0.6)],
    ])),
    inputs: Ports::Fixed(&["Input", "Reset"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Function", &["max", "min"]).doc("Whether the maximum or the minimum is computed"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The value y₀ before the first step and during a reset"),
    ],
    build: |b| {
        b.leaves_unlocated();
        let (u, reset, initial) = (b.input(0), b.input(1), b.param("Initial Value"));
        let op = if b.settings().choice("Function") == "min" { Binary::Min } else { Binary::Max };
        let y = b.latch(b.common_width(&[u, reset, initial]), initial, |before| {
            b.select(reset, initial, before.binary(op, u))
        });
        b.output(0, y);
    },
    examples: &[Example {
        doc: "Running maximum with one reset",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 3.0, 2.0, 1.0, 2.0], &[0.0, 0.0, 0.0, 1.0, 0.0]],
        outputs: &[&[1.0, 3.0, 3.0, 0.0, 2.0]],
    }],
};
