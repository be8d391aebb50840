use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Backlash",
    doc: "Follows its input with play, like a gear with backlash",
    formula: "y = u − w/2 where u > y′ + w/2, u + w/2 where u < y′ − w/2, else y′, the previous output; initially y′ = y₀ \
              (Simulink reference: Backlash)",
    aliases: &["play", "gear play", "lost motion", "hysteresis", "freeplay"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.85), (0.4, 0.85), (0.8, 0.15)],
        &[(0.9, 0.15), (0.6, 0.15), (0.2, 0.85)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Width", &[1.0]).vector().between(0.0, f64::INFINITY).doc("The total play w"),
        ParamDef::number("Initial Value", &[0.0])
            .vector()
            .doc("The output y₀ before the first step, in the middle of the play"),
    ],
    build: |b| {
        let (u, half, initial) = (b.input(0), b.param("Width") * 0.5, b.param("Initial Value"));
        let y = b.follow(b.common_width(&[u, half, initial]), initial, |before| {
            super::crossing_beyond(b, u, before - half, before + half);
            b.select(u.gt(before + half), u - half, b.select(u.lt(before - half), u + half, before))
        });
        b.output(0, b.select(u.is_nan(), u, y));
    },
    examples: &[
        Example {
            doc: "Forth and back",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 2.0, 1.5, 1.0, 0.0]],
            outputs: &[&[0.0, 0.5, 1.5, 1.5, 1.5, 0.5]],
        },
        Example {
            doc: "Not-a-number passes, and the output is kept behind it",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, f64::NAN, 1.5]],
            outputs: &[&[1.5, f64::NAN, 1.5]],
        },
    ],
};
