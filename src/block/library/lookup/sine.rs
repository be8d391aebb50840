use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};
use std::f64::consts::TAU;

pub static DEF: BlockDef = BlockDef {
    group: "Lookup",
    name: "Sine of Turns",
    doc: "Computes the sine or cosine of an angle in turns",
    formula: "y = sin(2π·u) or cos(2π·u)",
    aliases: &["sine", "cosine", "sin", "cos", "wave table"],
    look: Look::rect(Face::Param("Function")),
    inputs: Ports::Fixed(&["Turns"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice("Function", &["sin", "cos"]).doc("The function")],
    build: |b| {
        let angle = b.input(0) * TAU;
        b.output(0, if b.settings().choice("Function") == "cos" { angle.cos() } else { angle.sin() });
    },
    examples: &[
        Example {
            doc: "A quarter turn",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 0.25]],
            outputs: &[&[0.0, 1.0]],
        },
        Example {
            doc: "Half a turn",
            options: &[("Function", &["cos"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.5]],
            outputs: &[&[-1.0]],
        },
    ],
};
