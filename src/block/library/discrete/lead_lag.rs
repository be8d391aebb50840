use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Transfer Function Lead or Lag",
    doc: "Applies a discrete lead or lag compensator with a zero and a pole",
    formula: "y[n] = p·y[n−1] + u[n] − z₀·u[n−1]",
    aliases: &["transfer fcn lead or lag", "transfer fcn real zero", "compensator", "phase lead"],
    look: Look::rect(Face::Fraction("z − z₀", "z − p")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Pole", &[0.95]).vector().doc("The pole p; 0: a zero only"),
        ParamDef::number("Zero", &[0.75]).vector().doc("The zero z₀"),
        ParamDef::number("Initial Output", &[0.0]).vector().doc("The output before the first sample"),
        ParamDef::number("Initial Input", &[0.0]).vector().doc("The input before the first sample"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, pole, zero, initial) = (b.input(0), b.param("Pole"), b.param("Zero"), b.param("Initial Output"));
        let before = b.before(u, b.param("Initial Input"));
        let state = b.state(b.common_width(&[u, pole, zero, initial]), initial);
        let y = pole * state.value + u - zero * before;
        state.next(y);
        b.output(0, y);
        b.early(0, initial);
    },
    examples: &[Example {
        doc: "A step response",
        options: &[("Pole", &["0.5"]), ("Zero", &["0.25"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0]],
        outputs: &[&[1.0, 1.25, 1.375]],
    }],
};
