use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Detect Edge",
    doc: "Gives 1 in the step in which its input passes zero upwards or downwards",
    formula: "y = 1 where the condition (u > 0, u ≥ 0, u < 0, u ≤ 0) holds now and did not one step before",
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
            .doc("Into which range; either: into or out of the positive one"),
        ParamDef::flag("Initially Met", false).doc("Whether the condition counts as met before the first step"),
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
            doc: "Becomes positive",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 2.0, -1.0, 1.0]],
            outputs: &[&[0.0, 1.0, 0.0, 0.0, 1.0]],
        },
        Example {
            doc: "Becomes negative",
            options: &[("Edge", &["fall negative"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 0.0, -1.0, -2.0]],
            outputs: &[&[0.0, 0.0, 1.0, 0.0]],
        },
        Example {
            doc: "Either way",
            options: &[("Edge", &["either"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.0, 0.0]],
            outputs: &[&[0.0, 1.0, 0.0, 1.0]],
        },
    ],
};
