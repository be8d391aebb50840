use crate::block::library::located;
use crate::block::{Binary, BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Norm",
    doc: "Computes the norm of a vector",
    formula: "|u|₂ = √(Σ uᵢ²), |u|₁ = Σ |uᵢ|, |u|∞ = max |uᵢ|",
    aliases: &["magnitude", "length", "euclid", "distance", "vector norm", "vector length"],
    look: Look::rect(Face::Text("‖u‖")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice("Norm", &["2", "1", "inf"]).doc("The norm; 2: Euclidean, without overflow")],
    build: |b| {
        let u = b.input(0).abs();
        // The length of a vector has a kink at the zero vector only, through which curves do not lead.
        match b.settings().choice("Norm") == "2" && u.width() > 1 {
            true => b.leaves_unlocated(),
            false => b.crossing(b.input(0)),
        }
        let y = match b.settings().choice("Norm") {
            "1" => u.sum(),
            "inf" => located::extreme(b, Binary::Max, u),
            _ => u.fold(Binary::Hypot),
        };
        b.output(0, y);
    },
    examples: &[
        Example {
            doc: "Euclidean norm",
            options: &[],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[3.0, -4.0]],
            outputs: &[&[5.0]],
        },
        Example {
            doc: "Sum of absolute values",
            options: &[("Norm", &["1"])],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[3.0, -4.0]],
            outputs: &[&[7.0]],
        },
        Example {
            doc: "Maximum absolute value",
            options: &[("Norm", &["inf"])],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[3.0, -4.0]],
            outputs: &[&[4.0]],
        },
    ],
};
