use crate::block::library::check_action::{ACTION, MARGIN, MESSAGE, OUTPUT, OUTPUTS, report_failure};
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Check",
    name: "Assertion",
    doc: "Checks that all elements of its input are nonzero",
    formula: "passes while u ≠ 0; fails with not-a-number; margin |u|",
    aliases: &["assert", "check", "verify", "must", "ensure", "assertion block"],
    look: Look::rect(Face::Strokes(&[
        &[(0.5, 0.1), (0.85, 0.25), (0.8, 0.65), (0.5, 0.92), (0.2, 0.65), (0.15, 0.25), (0.5, 0.1)],
        &[(0.34, 0.5), (0.46, 0.64), (0.68, 0.34)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: OUTPUTS,
    params: &[ACTION, OUTPUT, MARGIN, MESSAGE],
    build: |b| {
        let size = b.input(0).abs();
        report_failure(b, size.gt(0.0), || size, "the input is 0");
    },
    examples: &[Example {
        doc: "Nonzero, nonzero, zero",
        options: &[("Output", &["1"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, -2.0, 0.0, 1.0]],
        outputs: &[&[1.0, 1.0, 0.0, 1.0]],
    }],
};
