use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports, Settings, Unary};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Trigonometry",
    doc: "Takes a trigonometric or hyperbolic function of its input, angles in radians",
    formula: "y = f(u); y = atan2(u₁, u₂)",
    aliases: &["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "trigonometric function"],
    look: Look::rect(Face::Param("Function")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice(
        "Function",
        &["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"],
    )
    .doc("The function f")],
    build: |b| {
        let function = match b.settings().choice("Function") {
            "cos" => Unary::Cos,
            "tan" => Unary::Tan,
            "asin" => Unary::Asin,
            "acos" => Unary::Acos,
            "atan" => Unary::Atan,
            "sinh" => Unary::Sinh,
            "cosh" => Unary::Cosh,
            "tanh" => Unary::Tanh,
            "asinh" => Unary::Asinh,
            "acosh" => Unary::Acosh,
            "atanh" => Unary::Atanh,
            "atan2" => return b.output(0, b.input(0).binary(Binary::Atan2, b.input(1))),
            _ => Unary::Sin,
        };
        b.output(0, b.input(0).unary(function));
    },
    examples: &[Example {
        doc: "The angle of a point",
        options: &[("Function", &["atan2"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 0.0], &[1.0, -1.0]],
        outputs: &[&[std::f64::consts::FRAC_PI_4, std::f64::consts::PI]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    match settings.choice("Function") {
        "atan2" => vec!["Y".to_owned(), "X".to_owned()],
        _ => vec!["Input".to_owned()],
    }
}
