use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Manual Switch",
    doc: "Passes one of two inputs, selected by a position that can be changed during a run",
    formula: "y = u₁ in position 1, u₂ in position 2",
    aliases: &["toggle", "hand switch", "selector switch", "changeover"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.25), (0.35, 0.25), (0.8, 0.5), (0.9, 0.5)],
        &[(0.1, 0.75), (0.35, 0.75)],
    ])),
    inputs: Ports::Fixed(&["Input 1", "Input 2"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Position", &[1.0]).between(1.0, 2.0).doc("1 for the first input, 2 for the second")],
    build: |b| b.output(0, b.select(b.param("Position").lt(1.5), b.input(0), b.input(1))),
    examples: &[Example {
        doc: "Position 2",
        options: &[("Position", &["2"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0], &[5.0, 6.0]],
        outputs: &[&[5.0, 6.0]],
    }],
};
