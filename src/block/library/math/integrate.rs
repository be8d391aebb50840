use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Integrate",
    doc: "Integrates its input over time",
    formula: "dy/dt = u, y(0) = y₀, by the solver of the simulation",
    aliases: &["integrator", "integral", "1/s"],
    look: Look::rect(Face::Text("∫")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Initial Value", &[0.0]).vector().doc("The output y₀ at time 0")],
    build: |b| {
        let (u, initial) = (b.input(0), b.param("Initial Value"));
        let x = b.continuous(b.common_width(&[u, initial]), initial);
        b.output(0, x.value);
        x.derivative(u);
    },
    examples: &[Example {
        doc: "A constant input",
        options: &[("Initial Value", &["1"])],
        delta: 0.5,
        widths: &[],
        inputs: &[&[2.0, 2.0, 2.0]],
        outputs: &[&[1.0, 2.0, 3.0]],
    }],
};
