use crate::block::library::linear::StateSpace;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "State Space",
    doc: "Computes the output of a continuous linear system in state-space form",
    formula: "dx/dt = A·x + B·u, y = C·x + D·u, x(0) = x₀; matrices row after row \
              (Kailath: Linear Systems, 1980, chapter 2)",
    aliases: &["state-space", "abcd", "clss", "linear system", "lti", "statespace"],
    look: Look::rect(Face::Text("ẋ=Ax+Bu")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("A", &[-1.0]).vector().doc("The state matrix, square, row after row"),
        ParamDef::number("B", &[1.0])
            .vector()
            .doc("The input matrix: a row for each state, a column for each input element"),
        ParamDef::number("C", &[1.0])
            .vector()
            .doc("The output matrix: a row for each output element, a column for each state"),
        ParamDef::number("D", &[0.0]).vector().fixed().doc("The feedthrough matrix; 0: no direct feedthrough"),
        ParamDef::number("Initial State", &[0.0])
            .vector()
            .doc("The states x₀ at time 0, one value for all or one for each"),
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
            doc: "Two integrators in series, with direct feedthrough",
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
