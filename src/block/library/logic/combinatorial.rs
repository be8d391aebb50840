use crate::block::{BlockDef, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Combinatorial Logic",
    doc: "Looks up the row of a truth table that its logical inputs select",
    formula: "row = Σ bᵢ·2^(k−1−i) of the k elements bᵢ, the first most significant; y = that row of the table",
    aliases: &["truth table", "combinational logic", "logic table", "decoder", "sum of products"],
    look: Look::rect(Face::Strokes(&[
        &[(0.15, 0.15), (0.85, 0.15), (0.85, 0.85), (0.15, 0.85), (0.15, 0.15)],
        &[(0.15, 0.4), (0.85, 0.4)],
        &[(0.6, 0.15), (0.6, 0.85)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Table", &[0.0, 1.0])
        .vector()
        .doc("The rows one after the other, 2^k for an input of k elements, each as wide as the output")],
    build: |b| {
        let (u, table) = (b.input(0), b.param("Table"));
        let rows = 1usize.checked_shl(u.width() as u32).filter(|_| u.width() <= MAX_INPUTS).unwrap_or(0);
        if rows == 0 || table.width() % rows != 0 {
            b.refuse("Table", format!("{} values do not make the rows for {} inputs", table.width(), u.width()));
            return b.output(0, u);
        }
        let weights: Vec<f64> = (0..u.width()).rev().map(|power| (1u64 << power) as f64).collect();
        let (row, columns) = ((!!u).dot(b.vector(&weights)), table.width() / rows);
        let elements: Vec<Expr> = (0..columns).map(|column| table.pick(row * columns as f64 + column as f64)).collect();
        b.output(0, b.join(&elements));
    },
    examples: &[
        Example {
            doc: "Two inputs, exclusive or",
            options: &[("Table", &["0", "1", "1", "0"])],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 0.0]],
        },
        Example {
            doc: "A half adder: carry and sum",
            options: &[("Table", &["0", "0", "0", "1", "0", "1", "1", "0"])],
            delta: 1.0,
            widths: &[2],
            inputs: &[&[1.0, 0.0, 1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 1.0, 0.0]],
        },
    ],
};

const MAX_INPUTS: usize = 20;
