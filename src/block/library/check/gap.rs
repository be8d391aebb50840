use crate::block::library::check_action::{OUTPUTS, RANGE_PARAMS, bound, range_inputs, report_failure};
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Check",
    name: "Gap",
    doc: "Checks that its input lies outside the range between two bounds",
    formula: "passes while u ≤ low or u ≥ high, or < and > where the bounds are not allowed; fails with not-a-number",
    aliases: &["check static gap", "check dynamic gap", "forbidden band", "outside"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.38), (0.9, 0.38)],
        &[(0.1, 0.62), (0.9, 0.62)],
        &[(0.1, 0.2), (0.4, 0.14), (0.5, 0.84), (0.9, 0.78)],
    ])),
    inputs: Ports::By(range_inputs),
    outputs: OUTPUTS,
    params: RANGE_PARAMS,
    build: |b| {
        let (u, low, high) = (b.input(0), bound(b, "Low", 1), bound(b, "High", 2));
        let (below, above) = match b.settings().flag("Inclusive") {
            true => (u.le(low), u.ge(high)),
            false => (u.lt(low), u.gt(high)),
        };
        report_failure(b, below.or(above), || (low - u).max(u - high), "the input is in the gap between its bounds");
    },
    examples: &[
        Example {
            doc: "A gap from 1 to 2",
            options: &[("Low", &["1"]), ("High", &["2"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.5, 2.0, 3.0]],
            outputs: &[&[1.0, 1.0, 0.0, 1.0, 1.0]],
        },
        Example {
            doc: "The margin of a gap from 1 to 2",
            options: &[("Low", &["1"]), ("High", &["2"]), ("Margin", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.5, 1.75, 3.0]],
            outputs: &[&[1.0, 0.0, -0.5, -0.25, 1.0]],
        },
        Example {
            doc: "Varying bounds, excluded",
            options: &[("Bounds", &["dynamic"]), ("Inclusive", &["0"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0], &[0.0, 1.0, 2.0], &[2.0, 3.0, 3.0]],
            outputs: &[&[0.0, 0.0, 1.0]],
        },
    ],
};
