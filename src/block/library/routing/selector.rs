use crate::block::{BlockDef, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Selector",
    doc: "Selects elements of a vector, in any order",
    formula: "y = [u_{i₁} u_{i₂} …]",
    aliases: &["pick", "reorder", "slice", "elements", "submatrix", "extractor", "array subset"],
    look: Look::rect(Face::Strokes(&[
        &[(0.2, 0.1), (0.35, 0.1), (0.35, 0.9), (0.2, 0.9)],
        &[(0.4, 0.3), (0.8, 0.4)],
        &[(0.4, 0.7), (0.8, 0.6)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        super::super::index::FIRST,
        ParamDef::number("Indices", &[1.0])
            .vector()
            .fixed()
            .between(0.0, 1e9)
            .doc("The indices of the selected elements"),
    ],
    build: |b| {
        let u = b.input(0);
        let elements: Vec<Expr> =
            super::super::index::numbers(b, "Indices", u.width()).into_iter().map(|index| u.element(index)).collect();
        b.output(0, if elements.is_empty() { u } else { b.join(&elements) });
    },
    examples: &[Example {
        doc: "The third and the first of three",
        options: &[("Indices", &["3", "1"])],
        delta: 1.0,
        widths: &[3],
        inputs: &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]],
        outputs: &[&[3.0, 1.0, 6.0, 4.0]],
    }],
};
