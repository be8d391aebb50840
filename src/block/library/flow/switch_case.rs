use super::first_of;
use crate::block::library::steps;
use crate::block::limits::MAX_CASES;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Flow",
    name: "Switch Case",
    doc: "Outputs 1 for the case that its input equals, to enable one of several models",
    formula: "yᵢ = 1 for the first case equal to trunc(u), else 0; the last output is 1 where none is",
    aliases: &["case", "select case", "switch case action", "state"],
    look: Look::rect(Face::Text("case")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::By(outputs),
    params: &[ParamDef::number("Cases", &[1.0, 2.0])
        .vector_of(MAX_CASES)
        .fixed()
        .doc("The cases, with an output for each")],
    build: |b| {
        let u = steps::rounded(b, b.input(0), "fix");
        let cases = b.settings().numbers("Cases").to_vec();
        first_of(b, cases.into_iter().map(|case| u.equals(b.constant(case))));
    },
    examples: &[Example {
        doc: "Cases 1 and 5",
        options: &[("Cases", &["1", "5"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.9, 5.0, 0.0]],
        outputs: &[&[1.0, 1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0], &[0.0, 0.0, 0.0, 1.0]],
    }],
};

fn outputs(settings: &Settings) -> Vec<String> {
    let cases = (1..=settings.numbers("Cases").len()).map(|number| format!("Case {number}"));
    cases.chain(["Default".to_owned()]).collect()
}
