use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Flow",
    name: "Merge",
    doc: "Outputs the result of the conditional model that ran in this step, of several the last input",
    formula: "y = uᵢ for the last i whose model ran; where none ran, the previous y; an input from no conditional model counts as run",
    aliases: &["join branches", "phi"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.25), (0.45, 0.25), (0.6, 0.5), (0.9, 0.5)],
        &[(0.1, 0.75), (0.45, 0.75), (0.6, 0.5)],
    ])),
    inputs: Ports::Counted { stem: "Input", param: "Inputs" },
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Inputs", 2, 1, 1000).doc("The number of inputs"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output before any model has run"),
    ],
    build: |b| {
        let (inputs, initial) = (b.inputs(), b.param("Initial Value"));
        let mut parts = inputs.clone();
        parts.push(initial);
        let last = b.state(b.common_width(&parts), initial);
        let mut y = last.value;
        for (number, &u) in inputs.iter().enumerate() {
            y = b.select(b.ran(number), u, y);
        }
        b.output(0, y);
        last.next(y);
    },
    examples: &[Example {
        doc: "Inputs from no conditional model: the last one",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 2.0], &[3.0, 4.0]],
        outputs: &[&[3.0, 4.0]],
    }],
};
