use crate::block::library::check_action::{
    ACTION, BOUNDS, INCLUSIVE, MARGIN, MESSAGE, OUTPUT, OUTPUTS, bound, bound_inputs, report_failure,
};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Check",
    name: "Lower Bound",
    doc: "Checks that its input is not below a bound",
    formula: "passes while u ≥ b, or u > b where the bound is not allowed; fails with not-a-number",
    aliases: &["check static lower bound", "check dynamic lower bound", "minimum", "at least", "lower limit check"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.72), (0.9, 0.72)],
        &[(0.1, 0.3), (0.3, 0.55), (0.5, 0.2), (0.7, 0.6), (0.9, 0.35)],
    ])),
    inputs: Ports::By(bound_inputs),
    outputs: OUTPUTS,
    params: &[
        BOUNDS,
        ParamDef::number("Bound", &[0.0]).vector().doc("The lower bound b, where bounds are static"),
        INCLUSIVE,
        ACTION,
        OUTPUT,
        MARGIN,
        MESSAGE,
    ],
    build: |b| {
        let (u, bound) = (b.input(0), bound(b, "Bound", 1));
        let passes = if b.settings().flag("Inclusive") { u.ge(bound) } else { u.gt(bound) };
        report_failure(b, passes, || u - bound, "the input is below its lower bound");
    },
    examples: &[
        Example {
            doc: "A constant bound, included",
            options: &[("Bound", &["1"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 1.0, 0.5, 1.5]],
            outputs: &[&[1.0, 1.0, 0.0, 1.0]],
        },
        Example {
            doc: "Passing, with the margin to a bound of 1",
            options: &[("Bound", &["1"]), ("Output", &["1"]), ("Margin", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 1.0, 0.5, 1.5]],
            outputs: &[&[1.0, 1.0, 0.0, 1.0], &[1.0, 0.0, -0.5, 0.5]],
        },
        Example {
            doc: "A varying bound, excluded",
            options: &[("Bounds", &["dynamic"]), ("Inclusive", &["0"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[2.0, 2.0, 2.0], &[1.0, 2.0, 3.0]],
            outputs: &[&[1.0, 0.0, 0.0]],
        },
    ],
};
