use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Detect Edge",
    doc: "Detects steps in which its input rises or falls through zero",
    formula: "y = 1 where the condition (u > 0, u ≥ 0, u < 0, u ≤ 0) holds and did not in the step before, else 0",
    aliases: &[
        "detect rise positive",
        "detect rise nonnegative",
        "detect fall negative",
        "detect fall nonpositive",
        "edge trigger",
        "rising edge",
        "falling edge",
        "trigger",
        "one shot",
        "edgetrigger",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.8), (0.45, 0.8), (0.45, 0.2), (0.9, 0.2)],
        &[(0.35, 0.6), (0.45, 0.4), (0.55, 0.6)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Edge", &["rise positive", "rise nonnegative", "fall negative", "fall nonpositive", "either"])
            .doc("The range that the input enters; either: it enters or leaves the positive range"),
        ParamDef::flag("Initially Met", false).doc("Whether the condition holds before the first step"),
    ],
    build: |b| {
        let u = b.input(0);
        let edge = b.settings().choice("Edge");
        b.crossing(u);
        let is_met = match edge {
            "rise nonnegative" => u.ge(0.0),
            "fall negative" => u.lt(0.0),
            "fall nonpositive" => u.le(0.0),
            _ => u.gt(0.0),
        };
        let before = b.before(is_met, f64::from(u8::from(b.settings().flag("Initially Met"))));
        let is_edge = if edge == "either" { is_met.differs(before) } else { is_met.and(!before) };
        b.output(0, b.at_step(is_edge));
    },
    examples: &[
        Example {
            doc: "Rising to positive",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 2.0, -1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 0.0, 0.0, 1.0]],
        },
        Example {
            doc: "Falling to negative",
            options: &[("Edge", &["fall negative"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 0.0, -1.0, -2.0]],
            outputs: &[&[0.0, 0.0, 1.0, 0.0]],
        },
        Example {
            doc: "Either edge",
            options: &[("Edge", &["either"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.0, 0.0]],
            outputs: &[&[0.0, 1.0, 0.0, 1.0]],
        },
    ],
};
