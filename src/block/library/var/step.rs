use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Step",
    doc: "Generates a step from one value to another at a given time",
    formula: "y = initial while n < T/Δ, then final",
    aliases: &["jump", "heaviside", "step_function", "stepsource"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.8), (0.45, 0.8), (0.45, 0.2), (0.9, 0.2)]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Step Time", &[1.0])
            .unit("s")
            .doc("The time of the jump, which is in the first step at or after it; with a solver of variable step at that time"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The value before the jump"),
        ParamDef::number("Final Value", &[1.0]).vector().doc("The value after the jump"),
    ],
    build: |b| {
        let time = b.param("Step Time");
        let is_before = match b.locates() {
            true => {
                let is_before = b.time_of_decision().lt(time);
                b.edge(b.select(is_before, time, f64::INFINITY));
                b.settled(is_before)
            }
            // Step numbers are compared, so that 1 s is exactly a multiple of 0.1 s.
            false => b.clock(Clock::Step).lt((time / b.clock(Clock::Delta) - 1e-9).ceil()),
        };
        b.output(0, b.select(is_before, b.param("Initial Value"), b.param("Final Value")));
    },
    examples: &[Example {
        doc: "From 0 to 1 at 0.3 s",
        options: &[("Step Time", &["0.3"])],
        delta: 0.1,
        widths: &[],
        inputs: &[],
        outputs: &[&[0.0, 0.0, 0.0, 1.0, 1.0]],
    }],
};
