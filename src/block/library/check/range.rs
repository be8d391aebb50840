use crate::block::library::check_action::{OUTPUTS, RANGE_PARAMS, bound, range_inputs, report_failure};
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Check",
    name: "Range",
    doc: "Checks that its input lies in the range between two bounds",
    formula: "passes while low ≤ u ≤ high, or < where the bounds are not allowed; fails with not-a-number",
    aliases: &["check static range", "check dynamic range", "limits check", "inside", "interval check"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.2), (0.9, 0.2)],
        &[(0.1, 0.8), (0.9, 0.8)],
        &[(0.1, 0.5), (0.3, 0.32), (0.5, 0.6), (0.7, 0.4), (0.9, 0.66)],
    ])),
    inputs: Ports::By(range_inputs),
    outputs: OUTPUTS,
    params: RANGE_PARAMS,
    build: |b| {
        let (u, low, high) = (b.input(0), bound(b, "Low", 1), bound(b, "High", 2));
        let (above, below) = match b.settings().flag("Inclusive") {
            true => (u.ge(low), u.le(high)),
            false => (u.gt(low), u.lt(high)),
        };
        report_failure(
            b,
            above.and(below),
            || (u - low).min(high - u),
            "the input is outside the range between its bounds",
        );
    },
    examples: &[
        Example {
            doc: "A range from 1 to 2",
            options: &[("Low", &["1"]), ("High", &["2"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.5, 2.0, 3.0]],
            outputs: &[&[0.0, 1.0, 1.0, 1.0, 0.0]],
        },
        Example {
            doc: "The margin of a range from 1 to 2",
            options: &[("Low", &["1"]), ("High", &["2"]), ("Margin", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.5, 1.75, 3.0]],
            outputs: &[&[-1.0, 0.0, 0.5, 0.25, -1.0]],
        },
        Example {
            doc: "Varying bounds, excluded",
            options: &[("Bounds", &["dynamic"]), ("Inclusive", &["0"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 1.0, 1.0], &[0.0, 1.0, 2.0], &[2.0, 3.0, 3.0]],
            outputs: &[&[1.0, 0.0, 0.0]],
        },
    ],
};
