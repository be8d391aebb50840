use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Counter",
    doc: "Counts samples up to a limit and starts again at 0",
    formula: "y[k] = k mod (limit + 1); with bits the limit is 2^bits − 1",
    aliases: &["counter limited", "counter free-running", "modulo counter", "count", "step number", "counter_f"],
    look: Look::rect(Face::Strokes(&[&[
        (0.1, 0.85),
        (0.25, 0.85),
        (0.25, 0.65),
        (0.4, 0.65),
        (0.4, 0.45),
        (0.55, 0.45),
        (0.55, 0.25),
        (0.7, 0.25),
        (0.7, 0.85),
        (0.9, 0.85),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Limit By", &["value", "bits"])
            .doc("Whether the limit is a value or follows from a number of bits"),
        ParamDef::integer("Upper Limit", 7, 0, 1_000_000_000_000).doc("The maximum count"),
        ParamDef::integer("Bits", 16, 1, 52).doc("The number of bits of the count"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let count = match b.settings().choice("Limit By") {
            "bits" => 2f64.powi(b.settings().integer("Bits") as i32),
            _ => b.settings().integer("Upper Limit") as f64 + 1.0,
        };
        b.output(0, b.clock(Clock::Step).modulo(count));
    },
    examples: &[
        Example {
            doc: "Up to 2",
            options: &[("Upper Limit", &["2"])],
            delta: 1.0,
            widths: &[],
            inputs: &[],
            outputs: &[&[0.0, 1.0, 2.0, 0.0, 1.0]],
        },
        Example {
            doc: "One bit",
            options: &[("Limit By", &["bits"]), ("Bits", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[],
            outputs: &[&[0.0, 1.0, 0.0]],
        },
    ],
};
