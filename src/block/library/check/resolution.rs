use crate::block::library::check_action::{ACTION, MARGIN, MESSAGE, OUTPUT, OUTPUTS, report_failure};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

/// The tolerance, as a fraction of the resolution or absolute for levels.
const SLACK: f64 = 1e-3;

pub static DEF: BlockDef = BlockDef {
    group: "Check",
    name: "Resolution",
    doc: "Checks that its input is a multiple of a resolution or one of several levels",
    formula: "one number r: passes while |u/r − round(u/r)| ≤ 0.001; several: passes while u is within 0.001 of one of them",
    aliases: &["check input resolution", "input resolution", "quantization check", "levels"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.85), (0.3, 0.85), (0.3, 0.6), (0.5, 0.6), (0.5, 0.35), (0.7, 0.35), (0.7, 0.1), (0.9, 0.1)],
        &[(0.6, 0.75), (0.9, 0.75)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: OUTPUTS,
    params: &[
        ParamDef::number("Resolution", &[1.0])
            .vector()
            .fixed()
            .doc("The interval between allowed values, or the list of all allowed values"),
        ACTION,
        OUTPUT,
        MARGIN,
        MESSAGE,
    ],
    build: |b| {
        let u = b.input(0);
        let (distance, unit) = match b.settings().numbers("Resolution") {
            &[step] => {
                let steps = u / step;
                ((steps - steps.round()).abs(), step.abs())
            }
            levels => {
                let from = |&level: &f64| (u - level).abs();
                (levels.iter().map(from).reduce(|least, level| least.min(level)).unwrap_or(b.constant(1.0)), 1.0)
            }
        };
        report_failure(b, distance.le(SLACK), || (SLACK - distance) * unit, "the input is not an allowed value");
    },
    examples: &[
        Example {
            doc: "Multiples of 0.5",
            options: &[("Resolution", &["0.5"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, -1.5, 0.7, 2.0]],
            outputs: &[&[1.0, 1.0, 0.0, 1.0]],
        },
        Example {
            doc: "Three levels",
            options: &[("Resolution", &["-1", "0", "5"]), ("Output", &["1"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[5.0, 4.0, -1.0]],
            outputs: &[&[1.0, 0.0, 1.0]],
        },
    ],
};
