use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Unit Delay",
    doc: "Delays its input by one sample",
    formula: "y[n] = u[n−1], y[0] = y₀, and y₀ before the first sample",
    aliases: &["delay", "memory", "1/z", "z^-1", "register", "dollar_f", "feedback node", "shift register"],
    look: Look::rect(Face::Fraction("1", "z")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ at the first sample"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, initial) = (b.input(0), b.param("Initial Value"));
        let x = b.state(b.common_width(&[u, initial]), initial);
        b.output(0, x.value);
        x.next(u);
    },
    examples: &[
        Example {
            doc: "Initial value 7",
            options: &[("Initial Value", &["7"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0]],
            outputs: &[&[7.0, 1.0, 2.0]],
        },
        Example {
            doc: "Every third step",
            options: &[("Initial Value", &["7"]), ("Sample Time", &["0.3"])],
            delta: 0.1,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]],
            outputs: &[&[7.0, 7.0, 7.0, 1.0, 1.0, 1.0, 4.0]],
        },
    ],
};
