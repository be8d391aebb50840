use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports, Settings, Unary};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Trigonometry",
    doc: "Computes a trigonometric or hyperbolic function of its input, with angles in radians",
    formula: "y = f(u); y = atan2(u₁, u₂); sincos has both sin(u) and cos(u) as outputs",
    aliases: &[
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "trigonometric function",
        "trigfun",
        "sincos",
    ],
    look: Look::rect(Face::Param("Function")),
    inputs: Ports::By(inputs),
    outputs: Ports::By(outputs),
    params: &[ParamDef::choice(
        "Function",
        &[
            "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
            "sincos",
        ],
    )
    .doc("The function f")],
    build: |b| match b.settings().choice("Function") {
        "sincos" => {
            b.output(0, b.input(0).sin());
            b.output(1, b.input(0).cos());
        }
        "atan2" => b.output(0, b.input(0).binary(Binary::Atan2, b.input(1))),
        function => b.output(0, b.input(0).unary(Unary::by_name(function).unwrap_or(Unary::Sin))),
    },
    examples: &[
        Example {
            doc: "The angle of a point",
            options: &[("Function", &["atan2"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 0.0], &[1.0, -1.0]],
            outputs: &[&[std::f64::consts::FRAC_PI_4, std::f64::consts::PI]],
        },
        Example {
            doc: "Sine and cosine of a quarter turn",
            options: &[("Function", &["sincos"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, std::f64::consts::FRAC_PI_2]],
            outputs: &[&[0.0, 1.0], &[1.0, 0.0]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    match settings.choice("Function") {
        "atan2" => vec!["Y".to_owned(), "X".to_owned()],
        _ => vec!["Input".to_owned()],
    }
}

fn outputs(settings: &Settings) -> Vec<String> {
    match settings.choice("Function") {
        "sincos" => vec!["Sin".to_owned(), "Cos".to_owned()],
        _ => vec!["Output".to_owned()],
    }
}
