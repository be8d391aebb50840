use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Math",
    name: "Rescale",
    doc: "Maps one range linearly to another",
    formula: "y = low′ + (u − low)·(high′ − low′)/(high − low), clamped to low′ and high′ where limited",
    aliases: &["map range", "normalize", "linear map", "scaling", "span"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.8), (0.9, 0.2)], &[(0.1, 0.9), (0.9, 0.9)], &[(0.1, 0.9), (0.1, 0.1)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Input Low", &[0.0]).vector().doc("The input that is mapped to the low output"),
        ParamDef::number("Input High", &[1.0]).vector().doc("The input that is mapped to the high output"),
        ParamDef::number("Output Low", &[0.0]).vector().doc("The output for the low input"),
        ParamDef::number("Output High", &[100.0]).vector().doc("The output for the high input"),
        ParamDef::flag("Limited", false).doc("Whether the output is limited to its range"),
    ],
    build: |b| {
        let (low, high) = (b.param("Output Low"), b.param("Output High"));
        let (from, to) = (b.param("Input Low"), b.param("Input High"));
        let y = low + (b.input(0) - from) * (high - low) / (to - from);
        if !b.settings().flag("Limited") {
            return b.output(0, y);
        }
        b.crossing(y - low);
        b.crossing(y - high);
        b.output(0, y.clamp(low.min(high), low.max(high)));
    },
    examples: &[Example {
        doc: "4 to 20 mA as percent",
        options: &[("Input Low", &["4"]), ("Input High", &["20"]), ("Limited", &["1"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[4.0, 12.0, 24.0]],
        outputs: &[&[0.0, 50.0, 100.0]],
    }],
};
