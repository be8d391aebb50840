use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Detect Change",
    doc: "Detects steps in which its input changes",
    formula: "y = 1 where u[n] ≠ u[n−1] (any), u[n] > u[n−1] (increase) or u[n] < u[n−1] (decrease), else 0",
    aliases: &["detect increase", "detect decrease", "changed", "difference", "event"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.7), (0.5, 0.7), (0.5, 0.3), (0.9, 0.3)], &[(0.4, 0.5), (0.6, 0.5)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Change", &["any", "increase", "decrease"]).doc("Which changes are detected"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The input before the first step"),
    ],
    build: |b| {
        b.leaves_unlocated();
        let u = b.input(0);
        let before = b.before(u, b.param("Initial Value"));
        let changed = match b.settings().choice("Change") {
            "increase" => u.gt(before),
            "decrease" => u.lt(before),
            _ => u.differs(before),
        };
        b.output(0, b.at_step(changed));
    },
    examples: &[
        Example {
            doc: "Any change",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.0, 0.5]],
            outputs: &[&[0.0, 1.0, 0.0, 1.0]],
        },
        Example {
            doc: "Decrease",
            options: &[("Change", &["decrease"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.0, 0.5]],
            outputs: &[&[0.0, 0.0, 0.0, 1.0]],
        },
    ],
};
