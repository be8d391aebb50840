use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Hit Crossing",
    doc: "Detects steps in which its input reaches or crosses a value",
    formula: "y = 1 for rising: u[n−1] < c and u[n] ≥ c; falling: u[n−1] > c and u[n] ≤ c; either: these, or u[n] = c; else 0",
    aliases: &[
        "zero crossing",
        "crossing detector",
        "threshold crossing",
        "trigger",
        "event",
        "zcross_f",
        "negtopos_f",
        "postoneg_f",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.6), (0.9, 0.6)],
        &[(0.15, 0.85), (0.6, 0.15)],
        &[(0.4, 0.45), (0.4, 0.75)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Value", &[0.0]).vector().doc("The value c"),
        ParamDef::choice("Direction", &["either", "rising", "falling"]).doc("Which crossings are detected"),
    ],
    build: |b| {
        let (u, value) = (b.input(0), b.param("Value"));
        b.crossing(u - value);
        // Not-a-number is on neither side of the value.
        let before = b.before(u, f64::NAN);
        let rising = before.lt(value).and(u.ge(value));
        let falling = before.gt(value).and(u.le(value));
        let hit = match b.settings().choice("Direction") {
            "rising" => rising,
            "falling" => falling,
            _ => rising.or(falling).or(u.equals(value)),
        };
        b.output(0, b.at_step(hit));
    },
    examples: &[
        Example {
            doc: "Through 0 in both directions",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[-1.0, 1.0, 1.0, 0.0, 0.0, -1.0]],
            outputs: &[&[0.0, 1.0, 0.0, 1.0, 1.0, 0.0]],
        },
        Example {
            doc: "Rising through 2",
            options: &[("Value", &["2"]), ("Direction", &["rising"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 1.0]],
            outputs: &[&[0.0, 1.0, 0.0, 0.0]],
        },
    ],
};
