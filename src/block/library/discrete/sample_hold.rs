use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, edge_of};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Sample and Hold",
    doc: "Samples its input at trigger edges and holds it, or tracks it while the trigger is on",
    formula: "y = u at a rising, falling or either edge of the trigger, or while it is above 0 (track), else the previous y",
    aliases: &["samphold", "track and hold", "triggered", "latch value", "freeze", "s/h", "samphold_m", "samplehold"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.8), (0.3, 0.8), (0.3, 0.4), (0.6, 0.4), (0.6, 0.2), (0.9, 0.2)],
        &[(0.3, 0.95), (0.3, 0.85)],
        &[(0.6, 0.95), (0.6, 0.85)],
    ])),
    inputs: Ports::Fixed(&["Input", "Trigger"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Edge", &["rising", "falling", "either", "track"]).doc("When the input is sampled"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The output before the first edge"),
    ],
    build: |b| {
        b.leaves_unlocated();
        let (u, trigger, initial) = (b.input(0), b.input(1), b.param("Initial Value"));
        let is_high = trigger.gt(0.0);
        let width = b.common_width(&[u, trigger, initial]);
        if b.settings().choice("Edge") == "track" {
            return b.output(0, b.follow(width, initial, |before| b.select(is_high, u, before)));
        }
        let samples = edge_of(b.settings().choice("Edge"), trigger);
        b.output(0, b.latch(width, initial, |before| b.select(samples, u, before)));
    },
    examples: &[
        Example {
            doc: "At rising edges",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, 1.0, 0.0]],
            outputs: &[&[0.0, 2.0, 2.0, 2.0]],
        },
        Example {
            doc: "Tracks while the trigger is on",
            options: &[("Edge", &["track"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, 1.0, 0.0]],
            outputs: &[&[0.0, 2.0, 3.0, 3.0]],
        },
    ],
};
