use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Variable Integer Delay",
    doc: "Delays its input by a number of samples that a second input sets",
    formula: "y[n] = u[n−d], d rounded, 0 ≤ d ≤ longest",
    aliases: &["variable delay", "variable fractional delay", "tap", "delay length port"],
    look: Look::rect(Face::Text("z⁻ᵈ ←d")),
    inputs: Ports::Fixed(&["Input", "Delay"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Longest Delay", 100, 1, 10_000_000)
            .doc("The maximum delay in samples; a longer one is limited to it"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output until the first input arrives"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, delay, initial) = (b.input(0), b.scalar_input(1), b.param("Initial Value"));
        let longest = b.settings().integer("Longest Delay");
        let history = b.history(b.common_width(&[u, initial]), longest as usize, initial);
        history.push(u);
        let delay = delay.round().clamp(0.0, longest as f64);
        b.output(0, b.select(delay.lt(1.0), u, history.past(delay)));
        b.early(0, initial);
    },
    examples: &[Example {
        doc: "Delays of 0, 1, 2 and 0 samples",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, 2.0, 0.0]],
        outputs: &[&[1.0, 1.0, 1.0, 4.0]],
    }],
};
