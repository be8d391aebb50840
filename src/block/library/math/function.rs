use crate::block::library::{located, steps};
use crate::block::{Binary, BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports, Settings, Unary};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Function",
    doc: "Computes an exponential, power, root, remainder, rounding or other function of its input",
    formula: "y = f(u) or y = f(u₁, u₂)",
    aliases: &[
        "exp",
        "log",
        "ln",
        "sqrt",
        "square",
        "pow",
        "power",
        "reciprocal",
        "hypot",
        "mod",
        "rem",
        "round",
        "floor",
        "ceil",
        "sign",
        "math function",
        "rounding",
        "expblk_m",
        "logblk_f",
        "powblk_f",
        "invblk",
        "quotient & remainder",
        "rsqrt",
    ],
    look: Look::rect(Face::Param("Function")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice(
        "Function",
        &[
            "exp",
            "ln",
            "log10",
            "10^u",
            "square",
            "sqrt",
            "signed sqrt",
            "1/u",
            "sign",
            "floor",
            "ceil",
            "round",
            "fix",
            "pow",
            "hypot",
            "rem",
            "mod",
            "1/sqrt",
        ],
    )
    .doc("The function f; rem has the sign of the first input, mod that of the second")],
    build: |b| b.output(0, apply(b, b.input(0))),
    examples: &[
        Example {
            doc: "Square",
            options: &[("Function", &["square"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[3.0, -2.0]],
            outputs: &[&[9.0, 4.0]],
        },
        Example {
            doc: "Remainder with the sign of the second input",
            options: &[("Function", &["mod"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[5.0, -5.0, 5.0, 2.0], &[3.0, 3.0, -3.0, 0.0]],
            outputs: &[&[2.0, 1.0, -1.0, 2.0]],
        },
    ],
};

const OF_TWO: [&str; 4] = ["pow", "hypot", "rem", "mod"];

fn inputs(settings: &Settings) -> Vec<String> {
    match OF_TWO.contains(&settings.choice("Function")) {
        true => vec!["Input 1".to_owned(), "Input 2".to_owned()],
        false => vec!["Input".to_owned()],
    }
}

fn apply<'b>(b: &'b Builder<'b>, u: Expr<'b>) -> Expr<'b> {
    match b.settings().choice("Function") {
        "ln" => u.ln(),
        "log10" => u.unary(Unary::Log10),
        "10^u" => b.constant(10.0).pow(u),
        "square" => u * u,
        "sqrt" => u.sqrt(),
        "signed sqrt" => {
            b.crossing(u);
            u.sign() * u.abs().sqrt()
        }
        "1/u" => 1.0 / u,
        "1/sqrt" => 1.0 / u.sqrt(),
        "sign" => b.decided(u.sign(), u),
        how @ ("floor" | "ceil" | "round" | "fix") => steps::rounded(b, u, how),
        "pow" => u.pow(b.input(1)),
        "hypot" => u.binary(Binary::Hypot, b.input(1)),
        "rem" => located::binary(b, Binary::Rem, u, b.input(1)),
        "mod" => located::binary(b, Binary::Mod, u, b.input(1)),
        _ => u.exp(),
    }
}
