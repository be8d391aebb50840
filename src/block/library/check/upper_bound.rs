use crate::block::library::check_action::{
    ACTION, BOUNDS, INCLUSIVE, MARGIN, MESSAGE, OUTPUT, OUTPUTS, bound, bound_inputs, report_failure,
};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Check",
    name: "Upper Bound",
    doc: "Checks that its input is not above a bound",
    formula: "passes while u ≤ b, or u < b where the bound is not allowed; fails with not-a-number",
    aliases: &["check static upper bound", "check dynamic upper bound", "maximum", "at most", "upper limit check"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.28), (0.9, 0.28)],
        &[(0.1, 0.7), (0.3, 0.45), (0.5, 0.8), (0.7, 0.4), (0.9, 0.65)],
    ])),
    inputs: Ports::By(bound_inputs),
    outputs: OUTPUTS,
    params: &[
        BOUNDS,
        ParamDef::number("Bound", &[0.0]).vector().doc("The upper bound b, where bounds are static"),
        INCLUSIVE,
        ACTION,
        OUTPUT,
        MARGIN,
        MESSAGE,
    ],
    build: |b| {
        let (u, bound) = (b.input(0), bound(b, "Bound", 1));
        let passes = if b.settings().flag("Inclusive") { u.le(bound) } else { u.lt(bound) };
        report_failure(b, passes, || bound - u, "the input is above its upper bound");
    },
    examples: &[
        Example {
            doc: "A constant bound, included",
            options: &[("Bound", &["1"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.5, 0.5]],
            outputs: &[&[1.0, 1.0, 0.0, 1.0]],
        },
        Example {
            doc: "The margin to a bound of 1",
            options: &[("Bound", &["1"]), ("Margin", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 1.5, 0.5]],
            outputs: &[&[1.0, 0.0, -0.5, 0.5]],
        },
        Example {
            doc: "A varying bound, excluded",
            options: &[("Bounds", &["dynamic"]), ("Inclusive", &["0"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 2.0, 2.0], &[3.0, 2.0, 1.0]],
            outputs: &[&[1.0, 0.0, 0.0]],
        },
    ],
};
