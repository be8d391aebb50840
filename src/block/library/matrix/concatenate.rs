use crate::block::library::matrix_math;
use crate::block::library::matrix_shape::ROWS;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Matrix Concatenate",
    doc: "Concatenates matrices side by side or one below the other",
    formula: "Y = [A B …] or [A; B; …]",
    aliases: &["horzcat", "vertcat", "join", "stack", "append"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.2), (0.45, 0.2), (0.45, 0.8), (0.1, 0.8), (0.1, 0.2)],
        &[(0.55, 0.2), (0.9, 0.2), (0.9, 0.8), (0.55, 0.8), (0.55, 0.2)],
    ])),
    inputs: Ports::Counted { stem: "Input", param: "Inputs" },
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Inputs", 2, 1, 1000).doc("The number of inputs"),
        ParamDef::choice("Direction", &["horizontal", "vertical"]).doc("Side by side, or one below the other"),
        ROWS,
    ],
    build: |b| {
        let inputs = b.inputs();
        if b.settings().choice("Direction") == "vertical" {
            return b.output(0, b.join(&inputs));
        }
        let rows = b.settings().integer("Rows") as usize;
        let columns: Option<Vec<usize>> =
            inputs.iter().map(|input| matrix_math::columns(b, "Rows", input.width(), rows)).collect();
        let Some(columns) = columns else { return b.output(0, inputs[0]) };
        let parts = (0..rows).flat_map(|row| {
            inputs.iter().zip(&columns).map(move |(input, columns)| input.slice(row * columns, *columns))
        });
        b.output(0, b.join(&parts.collect::<Vec<_>>()));
    },
    examples: &[Example {
        doc: "Side by side",
        options: &[("Rows", &["2"])],
        delta: 1.0,
        widths: &[2, 4],
        inputs: &[&[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0]],
        outputs: &[&[1.0, 3.0, 4.0, 2.0, 5.0, 6.0]],
    }],
};
