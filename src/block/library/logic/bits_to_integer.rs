use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Bits To Integer",
    doc: "Converts a vector of bits to an integer",
    formula: "y = Σ bᵢ·2ⁱ, a bit being 1 where its element is nonzero",
    aliases: &["bit to integer converter", "bin2dec", "pack", "binary"],
    look: Look::rect(Face::Text("101→5")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice("Order", &["highest first", "lowest first"]).doc("The order of the elements")],
    build: |b| {
        let u = b.input(0);
        if u.width() > 53 {
            b.refuse_width(0, 53);
            return b.output(0, u);
        }
        b.output(0, (!!u).dot(weights(b, u.width())));
    },
    examples: &[Example {
        doc: "Three bits",
        options: &[],
        delta: 1.0,
        widths: &[3],
        inputs: &[&[1.0, 0.0, 1.0, 1.0, 1.0, 0.0]],
        outputs: &[&[5.0, 6.0]],
    }],
};

/// Returns the weight of each bit.
pub(super) fn weights<'b>(b: &'b Builder<'b>, count: usize) -> Expr<'b> {
    let mut weights: Vec<f64> = (0..count as i32).map(|bit| 2f64.powi(bit)).collect();
    if b.settings().choice("Order") == "highest first" {
        weights.reverse();
    }
    b.vector(&weights)
}
