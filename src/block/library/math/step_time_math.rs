use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Weighted Sample Time",
    doc: "Combines its input with a multiple of the step size",
    formula: "y = u + w·Δ, u − w·Δ, u·w·Δ, u/(w·Δ) or w·Δ alone",
    aliases: &["weighted sample time math", "sample time", "delta", "step size"],
    look: Look::rect(Face::Text("w·Δ")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Operation", &["+", "-", "*", "/", "delta"])
            .doc("How the input and w·Δ are combined; delta: w·Δ alone"),
        ParamDef::number("Weight", &[1.0]).vector().doc("The weight w"),
    ],
    build: |b| {
        let (u, step) = (b.input(0), b.param("Weight") * b.elapsed());
        let y = match b.settings().choice("Operation") {
            "-" => u - step,
            "*" => u * step,
            "/" => u / step,
            "delta" => step,
            _ => u + step,
        };
        b.output(0, y);
    },
    examples: &[Example {
        doc: "The input times twice the step size",
        options: &[("Operation", &["*"]), ("Weight", &["2"])],
        delta: 0.25,
        widths: &[],
        inputs: &[&[3.0, 4.0]],
        outputs: &[&[1.5, 2.0]],
    }],
};
