use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Switch",
    doc: "Passes one of two inputs, selected by a control input",
    formula: "y = u₁ where the control meets the criterion, else u₂",
    aliases: &["select", "selector", "if", "multiplexer", "switch2_m"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.25), (0.35, 0.25)],
        &[(0.1, 0.75), (0.35, 0.75)],
        &[(0.35, 0.25), (0.7, 0.5), (0.9, 0.5)],
        &[(0.1, 0.5), (0.25, 0.5)],
    ])),
    inputs: Ports::Fixed(&["Input 1", "Control", "Input 2"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Criterion", &[">=", ">", "!="])
            .doc("The relation of the control to the threshold that selects the first input"),
        ParamDef::number("Threshold", &[0.0]).vector().doc("The threshold"),
    ],
    build: |b| {
        let (control, threshold) = (b.input(1), b.param("Threshold"));
        let is_first = match b.settings().choice("Criterion") {
            ">" => control.gt(threshold),
            "!=" => control.differs(threshold),
            _ => control.ge(threshold),
        };
        let is_first = b.decided(is_first, control - threshold);
        b.output(0, b.select(is_first, b.input(0), b.input(2)));
    },
    examples: &[Example {
        doc: "The first input while the control is not negative",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0], &[0.0, -1.0], &[2.0, 2.0]],
        outputs: &[&[1.0, 2.0]],
    }],
};
