use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Sqrt",
    doc: "Computes the square root, signed square root or reciprocal square root of its input",
    formula: "y = √u; signed √|u|·sign(u); reciprocal 1/√u",
    aliases: &["square root", "signed sqrt", "reciprocal sqrt", "rsqrt", "root"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.55), (0.2, 0.5), (0.35, 0.8), (0.5, 0.2), (0.9, 0.2)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice("Function", &["sqrt", "signed", "reciprocal"])
        .doc("The function; sqrt and reciprocal of a negative number are not-a-number")],
    build: |b| {
        let u = b.input(0);
        let y = match b.settings().choice("Function") {
            "signed" => {
                b.crossing(u);
                u.sign() * u.abs().sqrt()
            }
            "reciprocal" => 1.0 / u.sqrt(),
            _ => u.sqrt(),
        };
        b.output(0, y);
    },
    examples: &[
        Example {
            doc: "Square root",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[9.0, 2.25]],
            outputs: &[&[3.0, 1.5]],
        },
        Example {
            doc: "Signed square root",
            options: &[("Function", &["signed"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[9.0, -4.0]],
            outputs: &[&[3.0, -2.0]],
        },
        Example {
            doc: "Reciprocal square root",
            options: &[("Function", &["reciprocal"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[4.0]],
            outputs: &[&[0.5]],
        },
    ],
};
