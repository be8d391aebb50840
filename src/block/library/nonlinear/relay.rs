use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Relay",
    doc: "Switches on at one threshold and off at a lower one, and holds in between",
    formula: "on where u ≥ on, off where u ≤ off, else as before; initially off \
              (Simulink reference: Relay)",
    aliases: &["hysteresis", "thermostat", "two-point", "schmitt trigger", "hysthereses"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.8), (0.65, 0.8), (0.65, 0.2)],
        &[(0.9, 0.2), (0.35, 0.2), (0.35, 0.8)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Switch On", &[0.5]).vector().doc("The input at or above which it switches on"),
        ParamDef::number("Switch Off", &[-0.5]).vector().doc("The input at or below which it switches off"),
        ParamDef::number("On Value", &[1.0]).vector().doc("The output while on"),
        ParamDef::number("Off Value", &[0.0]).vector().doc("The output while off"),
    ],
    build: |b| {
        let (u, on, off) = (b.input(0), b.param("Switch On"), b.param("Switch Off"));
        let (on_value, off_value) = (b.param("On Value"), b.param("Off Value"));
        let (zero, one) = (b.constant(0.0), b.constant(1.0));
        let is_on = b.mode(b.common_width(&[u, on, off]), zero);
        let decided = b.select(u.ge(on), one, b.select(u.le(off), zero, is_on.value));
        b.crossing(u - on);
        b.crossing(u - off);
        // A relay that switched between the stages of a solver would stick halfway.
        let now = b.select(b.deciding(), decided, is_on.value);
        is_on.next(now);
        b.output(0, b.select(now, on_value, off_value));
    },
    examples: &[Example {
        doc: "On above 0.5, off below -0.5",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 0.5, 0.0, -0.5, 0.0]],
        outputs: &[&[0.0, 1.0, 1.0, 0.0, 0.0]],
    }],
};
