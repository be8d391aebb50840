use crate::block::library::matrix_math;
use crate::block::{BlockDef, Body, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Matrix Gain",
    doc: "Multiplies its input, a vector or matrix, by a constant matrix",
    formula: "Y = K·U or U·K",
    aliases: &["gain", "k*u", "u*k", "linear combination", "matrix times vector", "rotation"],
    look: Look { body: Body::Triangle, face: Face::Text("K·u") },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Gain", &[1.0]).vector().doc("The matrix K, row after row"),
        ParamDef::choice("Order", &["K·u", "u·K"]).doc("Whether K is the left or the right factor"),
        ParamDef::integer("Columns", 1, 1, 1000).doc("The number of columns of the input, for K·u"),
        ParamDef::integer("Rows", 1, 1, 1000).doc("The number of rows of the input, for u·K"),
    ],
    build: |b| {
        let (u, gain) = (b.input(0), b.param("Gain"));
        let is_left = b.settings().choice("Order") == "K·u";
        let param = if is_left { "Columns" } else { "Rows" };
        let shape = matrix_math::columns(b, param, u.width(), b.settings().integer(param) as usize);
        // The inner dimension of the product.
        let Some(inner) = shape else { return b.output(0, u) };
        let other = u.width() / inner;
        // The gain's own rows where it is written as a matrix, else as many as match the input.
        if let Some(rows) = b.settings().rows("Gain") {
            let (own, given) = ([rows, gain.width() / rows], if is_left { [inner, other] } else { [other, inner] });
            let (left, right) = if is_left { (own, given) } else { (given, own) };
            if !matrix_math::meet(b, "Gain", left, right) {
                return b.output(0, u);
            }
        }
        let Some(outer) = matrix_math::columns(b, "Gain", gain.width(), inner) else { return b.output(0, u) };
        b.output(
            0,
            match is_left {
                true => matrix_math::multiply(b, gain, u, [outer, inner, other]),
                false => matrix_math::multiply(b, u, gain, [other, inner, outer]),
            },
        );
    },
    examples: &[
        Example {
            doc: "A rotation by 90°",
            options: &[("Gain", &["0", "-1", "1", "0"])],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[3.0, 4.0]],
            outputs: &[&[-4.0, 3.0]],
        },
        Example {
            doc: "Sum and difference, K on the right",
            options: &[("Gain", &["1", "1", "1", "-1"]), ("Order", &["u·K"])],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[3.0, 4.0]],
            outputs: &[&[7.0, -1.0]],
        },
    ],
};
