use crate::block::library::check_action::{ACTION, MARGIN, MESSAGE, OUTPUT, OUTPUTS, report_failure};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Check",
    name: "Gradient",
    doc: "Checks that its input changes by less than a limit from one step to the next",
    formula: "passes while |u[n] − u[n−1]| < g, and in the first step; fails with not-a-number",
    aliases: &["check discrete gradient", "discrete gradient", "slope check", "rate check", "jump"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.8), (0.4, 0.8), (0.45, 0.2), (0.9, 0.2)],
        &[(0.55, 0.75), (0.75, 0.45)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: OUTPUTS,
    params: &[
        ParamDef::number("Gradient", &[1.0])
            .between(0.0, f64::INFINITY)
            .vector()
            .doc("The smallest change g that fails"),
        ACTION,
        OUTPUT,
        MARGIN,
        MESSAGE,
    ],
    build: |b| {
        let (u, limit) = (b.input(0), b.param("Gradient"));
        let change = u - b.before(u, 0.0);
        let passes = b.at_step(b.is_first().or(change.abs().lt(limit)));
        // There is no change in the first step.
        let margin = || b.at_step(b.select(b.is_first(), limit, limit - change.abs()));
        report_failure(b, passes, margin, "the input changes too much in one step");
    },
    examples: &[
        Example {
            doc: "A jump of 2",
            options: &[("Output", &["1"])],
            delta: 0.1,
            widths: &[],
            inputs: &[&[5.0, 5.5, 6.0, 4.0, 4.5]],
            outputs: &[&[1.0, 1.0, 1.0, 0.0, 1.0]],
        },
        Example {
            doc: "The margin of a jump of 2",
            options: &[("Margin", &["1"])],
            delta: 0.1,
            widths: &[],
            inputs: &[&[5.0, 5.5, 6.0, 4.0, 4.5]],
            outputs: &[&[1.0, 0.5, 0.5, -1.0, 0.5]],
        },
    ],
};
