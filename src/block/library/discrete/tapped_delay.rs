use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Discrete",
    name: "Tapped Delay",
    doc: "Outputs the last samples of its input as a vector",
    formula: "y = [u[n−N] … u[n−1]], and u[n] where it is included",
    aliases: &["delay line", "shift register", "history", "window", "buffer", "sliding window"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.3), (0.9, 0.3)],
        &[(0.3, 0.3), (0.3, 0.7)],
        &[(0.5, 0.3), (0.5, 0.7)],
        &[(0.7, 0.3), (0.7, 0.7)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Taps", 4, 1, 10_000).doc("The number of past samples N"),
        ParamDef::choice("Order", &["oldest first", "newest first"]).doc("The order of the elements"),
        ParamDef::flag("Include Current", false).doc("Whether the current sample is included"),
        ParamDef::number("Initial Value", &[0.0]).doc("The input before the first sample"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, taps) = (b.scalar_input(0), b.settings().integer("Taps") as usize);
        let line = b.state(taps, b.param("Initial Value"));
        let is_newest_first = b.settings().choice("Order") == "newest first";
        let shifted = match (taps, is_newest_first) {
            (1, _) => u,
            (_, true) => b.join(&[u, line.value.slice(0, taps - 1)]),
            (_, false) => b.join(&[line.value.slice(1, taps - 1), u]),
        };
        line.next(shifted);
        let includes_current = b.settings().flag("Include Current");
        b.output(
            0,
            match (includes_current, is_newest_first) {
                (false, _) => line.value,
                (true, true) => b.join(&[u, line.value]),
                (true, false) => b.join(&[line.value, u]),
            },
        );
        if includes_current {
            b.early(0, b.join(&[b.param("Initial Value"), line.value]));
        }
    },
    examples: &[
        Example {
            doc: "The last two samples",
            options: &[("Taps", &["2"])],
            delta: 1.0,
            widths: &[1],
            inputs: &[&[1.0, 2.0, 3.0]],
            outputs: &[&[0.0, 0.0, 0.0, 1.0, 1.0, 2.0]],
        },
        Example {
            doc: "Newest first, with the current sample",
            options: &[("Taps", &["2"]), ("Order", &["newest first"]), ("Include Current", &["1"])],
            delta: 1.0,
            widths: &[1],
            inputs: &[&[1.0, 2.0, 3.0]],
            outputs: &[&[1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 3.0, 2.0, 1.0]],
        },
    ],
};
