use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Cross Product",
    doc: "Computes the cross product of two vectors of three elements",
    formula: "c = a × b",
    aliases: &["vector product", "cross", "torque", "normal"],
    look: Look::rect(Face::Text("a × b")),
    inputs: Ports::Fixed(&["A", "B"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        let (a, c) = (b.input(0), b.input(1));
        if a.width() != 3 || c.width() != 3 {
            b.refuse_width(if a.width() == 3 { 1 } else { 0 }, 3);
            return b.output(0, a);
        }
        let element = |i: usize, j: usize| a.element(i) * c.element(j) - a.element(j) * c.element(i);
        b.output(0, b.join(&[element(1, 2), element(2, 0), element(0, 1)]));
    },
    examples: &[
        Example {
            doc: "Two unit vectors",
            options: &[],
            delta: 1.0,
            widths: &[3, 3],
            inputs: &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]],
            outputs: &[&[0.0, 0.0, 1.0]],
        },
        Example {
            doc: "Two vectors",
            options: &[],
            delta: 1.0,
            widths: &[3, 3],
            inputs: &[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]],
            outputs: &[&[-3.0, 6.0, -3.0]],
        },
    ],
};
