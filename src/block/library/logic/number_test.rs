use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Unary};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Number Test",
    doc: "Tests whether its input is not-a-number, infinite or finite",
    formula: "y = 1 where the test holds, else 0",
    aliases: &["isnan", "isinf", "isfinite", "relational operator", "not a number", "validity"],
    look: Look::rect(Face::Param("Function")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice("Function", &["isNaN", "isInf", "isFinite"]).doc("The test")],
    build: |b| {
        let function = match b.settings().choice("Function") {
            "isInf" => Unary::IsInf,
            "isFinite" => Unary::IsFinite,
            _ => Unary::IsNan,
        };
        b.output(0, b.input(0).unary(function));
    },
    examples: &[
        Example {
            doc: "Not a number",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, f64::NAN, f64::INFINITY]],
            outputs: &[&[0.0, 1.0, 0.0]],
        },
        Example {
            doc: "Finite",
            options: &[("Function", &["isFinite"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, f64::NAN, f64::INFINITY]],
            outputs: &[&[1.0, 0.0, 0.0]],
        },
    ],
};
