use crate::block::library::linear::StateSpace;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "State Space",
    doc: "A linear system of first-order equations with matrices",
    formula: "dx/dt = A·x + B·u, y = C·x + D·u, x(0) = x₀; matrices row after row \
              (Kailath: Linear Systems, 1980, chapter 2)",
    aliases: &["state-space", "abcd", "clss", "linear system", "lti", "statespace"],
    look: Look::rect(Face::Text("ẋ=Ax+Bu")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("A", &[-1.0]).vector().doc("Square; how the states change each other"),
        ParamDef::number("B", &[1.0]).vector().doc("A row for each state, a column for each lane of the input"),
        ParamDef::number("C", &[1.0]).vector().doc("A row for each lane of the output, a column for each state"),
        ParamDef::number("D", &[0.0]).vector().fixed().doc("What goes straight through; 0 where nothing does"),
        ParamDef::number("Initial State", &[0.0]).vector().doc("The states x₀ at time 0, one for all or one for each"),
    ],
    build: |b| {
        let u = b.input(0);
        let Some(system) = StateSpace::of(b, u.width()) else { return b.output(0, u) };
        let x = b.continuous(system.order, b.param("Initial State"));
        x.derivative(system.rate(b, x.value, u));
        b.output(0, system.output(b, x.value, u));
    },
    examples: &[
        Example {
            doc: "An integrator",
            options: &[("A", &["0"])],
            delta: 0.5,
            widths: &[],
            inputs: &[&[2.0, 2.0, 2.0]],
            outputs: &[&[0.0, 1.0, 2.0]],
        },
        Example {
            doc: "Two integrators in a row, and what goes through",
            options: &[
                ("A", &["0", "1", "0", "0"]),
                ("B", &["0", "1"]),
                ("C", &["1", "0", "0", "1"]),
                ("D", &["0", "1"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 0.0, 2.0, 1.0, 3.0]],
        },
    ],
};
