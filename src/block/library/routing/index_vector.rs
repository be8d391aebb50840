use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Index Vector",
    doc: "Selects the element of a vector at an index",
    formula: "y = uᵢ, i the index truncated to an integer and limited to the vector",
    aliases: &["element", "multiport switch", "choose", "at", "index array"],
    look: Look::rect(Face::Text("u[i]")),
    inputs: Ports::Fixed(&["Index", "Vector"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[super::super::index::FIRST],
    build: |b| {
        let index = super::super::index::from_zero(b, b.input(0));
        b.output(0, b.input(1).pick(index));
    },
    examples: &[Example {
        doc: "The first, the second, and the last for an index past the end",
        options: &[],
        delta: 1.0,
        widths: &[1, 3],
        inputs: &[&[1.0, 2.0, 9.0], &[10.0, 11.0, 12.0, 10.0, 11.0, 12.0, 10.0, 11.0, 12.0]],
        outputs: &[&[10.0, 11.0, 12.0]],
    }],
};
