use crate::block::limits::MAX_COEFFICIENTS;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Polynomial",
    doc: "Evaluates a polynomial of its input",
    formula: "y = cₙ·uⁿ + … + c₁·u + c₀ by Horner's scheme",
    aliases: &["polyval", "power series", "horner"],
    look: Look::rect(Face::Text("P(u)")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Coefficients", &[1.0, 0.0, 0.0])
        .vector_of(MAX_COEFFICIENTS)
        .doc("The coefficients, highest power first")],
    build: |b| {
        let (u, c) = (b.input(0), b.param("Coefficients"));
        let y = c.elements().into_iter().reduce(|sum, c| sum * u + c);
        // The selection expands a single coefficient to the width of the input.
        b.output(0, y.map_or(u, |y| b.select(u, y, y)));
    },
    examples: &[Example {
        doc: "u² − 3·u + 2",
        options: &[("Coefficients", &["1", "-3", "2"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 1.0, 4.0]],
        outputs: &[&[2.0, 0.0, 6.0]],
    }],
};
