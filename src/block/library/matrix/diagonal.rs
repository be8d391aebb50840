use crate::block::{BlockDef, Example, Expr, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Create Diagonal Matrix",
    doc: "Creates a diagonal matrix from the elements of its input",
    formula: "Y = diag(u)",
    aliases: &["diag", "diagonal", "matdiag"],
    look: Look::rect(Face::Text("diag u")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        let u = b.input(0);
        let (size, zero) = (u.width(), b.constant(0.0));
        if !b.fits(size, size) {
            return b.output(0, u);
        }
        let elements: Vec<Expr> = (0..size * size)
            .map(|index| if index / size == index % size { u.element(index % size) } else { zero })
            .collect();
        b.output(0, b.join(&elements));
    },
    examples: &[Example {
        doc: "Two elements",
        options: &[],
        delta: 1.0,
        widths: &[2],
        inputs: &[&[3.0, 4.0]],
        outputs: &[&[3.0, 0.0, 0.0, 4.0]],
    }],
};
