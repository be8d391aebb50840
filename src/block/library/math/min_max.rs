use crate::block::library::located;
use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "MinMax",
    doc: "Computes the minimum or maximum of its inputs",
    formula: "y = min(u₁, u₂, …) or max(u₁, u₂, …); of a single input over its elements",
    aliases: &["minimum", "maximum", "min", "max", "maxmin"],
    look: Look::rect(Face::Param("Function")),
    inputs: Ports::Counted { stem: "Input", param: "Inputs" },
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Function", &["min", "max"]).doc("Whether the minimum or the maximum is computed"),
        ParamDef::integer("Inputs", 2, 1, 1000).doc("The number of inputs"),
    ],
    build: |b| {
        let op = if b.settings().choice("Function") == "min" { Binary::Min } else { Binary::Max };
        let chosen = match b.input_count() {
            1 => Some(located::extreme(b, op, b.input(0))),
            _ => b.inputs().into_iter().reduce(|chosen, input| located::binary(b, op, chosen, input)),
        };
        b.output(0, chosen.unwrap_or_else(|| b.constant(0.0)));
    },
    examples: &[Example {
        doc: "The maximum of two inputs",
        options: &[("Function", &["max"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 5.0], &[2.0, -2.0]],
        outputs: &[&[2.0, 5.0]],
    }],
};
