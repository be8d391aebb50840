use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Assignment",
    doc: "Replaces elements of a vector with new values",
    formula: "y = vector, but y[indexᵢ] = elementᵢ",
    aliases: &["set element", "replace", "write index"],
    look: Look::rect(Face::Text("Y[i] = U")),
    inputs: Ports::Fixed(&["Vector", "Elements"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        super::super::index::FIRST,
        ParamDef::number("Indices", &[1.0])
            .vector()
            .fixed()
            .between(0.0, 1e9)
            .doc("The indices of the replaced elements, in the order of the new ones"),
    ],
    build: |b| {
        let (vector, new) = (b.input(0), b.input(1));
        let mut elements = vector.elements();
        let indices = super::super::index::numbers(b, "Indices", vector.width());
        if new.width() != 1 && new.width() != indices.len() {
            b.refuse("Indices", format!("there are {} indices for {} new elements", indices.len(), new.width()));
            return b.output(0, vector);
        }
        for (position, index) in indices.into_iter().enumerate() {
            elements[index] = new.element(if new.width() == 1 { 0 } else { position });
        }
        b.output(0, b.join(&elements));
    },
    examples: &[Example {
        doc: "The third element",
        options: &[("Indices", &["3"])],
        delta: 1.0,
        widths: &[3, 1],
        inputs: &[&[1.0, 2.0, 3.0], &[9.0]],
        outputs: &[&[1.0, 2.0, 9.0]],
    }],
};
