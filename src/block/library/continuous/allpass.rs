use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};
use std::f64::consts::TAU;

pub static DEF: BlockDef = BlockDef {
    group: "Continuous",
    name: "All-Pass Filter",
    doc: "Shifts the phase of its input without changing the amplitude at any frequency",
    formula: "Y(s) = ((ω − s)/(ω + s))ⁿ·U(s), ω = 2π·f \
              (Oppenheim, Schafer: Discrete-Time Signal Processing, section 5.5)",
    aliases: &["phase shift", "pade", "delay approximation", "allpass", "all-pass"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.2), (0.9, 0.2)],
        &[(0.1, 0.4), (0.35, 0.45), (0.5, 0.65), (0.65, 0.85), (0.9, 0.9)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Frequency", &[1.0])
            .above_zero(1e12)
            .unit("Hz")
            .doc("The frequency f at which each stage shifts the phase by 90°"),
        ParamDef::integer("Order", 1, 1, 50).doc("The number of stages n"),
    ],
    build: |b| {
        let (u, turn) = (b.input(0), b.param("Frequency") * TAU);
        let y = (0..b.settings().integer("Order")).fold(u, |u, _| {
            let x = b.continuous(u.width(), b.constant(0.0));
            x.derivative(turn * (u - x.value));
            2.0 * x.value - u
        });
        b.output(0, y);
    },
    examples: &[Example {
        doc: "A step response, first with the opposite sign",
        options: &[("Frequency", &["0.15915494309189535"])],
        delta: 0.5,
        widths: &[],
        inputs: &[&[1.0, 1.0, 1.0]],
        outputs: &[&[-1.0, 0.0, 0.5]],
    }],
};
