use crate::block::library::located;
use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Increment",
    doc: "Increments or decrements its input by one, or decrements it by the step size, optionally not below zero",
    formula: "y = u + 1, u − 1, max(u − 1, 0) or max(u − Δ, 0)",
    aliases: &[
        "decrement",
        "decrement to zero",
        "decrement time to zero",
        "increment real world",
        "decrement real world",
        "countdown",
    ],
    look: Look::rect(Face::Text("±1")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice("Function", &["increment", "decrement", "decrement to zero", "decrement time to zero"])
        .doc("The operation")],
    build: |b| {
        let u = b.input(0);
        let y = match b.settings().choice("Function") {
            "decrement" => u - 1.0,
            "decrement to zero" => located::binary(b, Binary::Max, u - 1.0, b.constant(0.0)),
            "decrement time to zero" => {
                // It acts at steps, whose lengths it takes off.
                b.leaves_unlocated();
                (u - b.elapsed()).max(0.0)
            }
            _ => u + 1.0,
        };
        b.output(0, y);
    },
    examples: &[
        Example {
            doc: "Increment",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, -2.0]],
            outputs: &[&[2.0, -1.0]],
        },
        Example {
            doc: "Decrement to zero",
            options: &[("Function", &["decrement to zero"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.5, 0.5]],
            outputs: &[&[0.5, 0.0]],
        },
        Example {
            doc: "Decrement time to zero",
            options: &[("Function", &["decrement time to zero"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 0.25]],
            outputs: &[&[1.5, 0.0]],
        },
    ],
};
