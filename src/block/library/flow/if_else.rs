use super::first_of;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Flow",
    name: "If",
    doc: "Outputs 1 for the first condition that holds, to enable one of several models",
    formula: "yᵢ = 1 for the first uᵢ ≠ 0, else 0; the last output is 1 where all are 0",
    aliases: &["if else", "elseif", "condition", "branch", "if action"],
    look: Look::rect(Face::Text("if")),
    inputs: Ports::Counted { stem: "Condition", param: "Conditions" },
    outputs: Ports::By(outputs),
    params: &[ParamDef::integer("Conditions", 1, 1, 1000).doc("The number of conditions, tested from top to bottom")],
    build: |b| {
        let zero = b.constant(0.0);
        first_of(b, b.inputs().into_iter().map(|u| b.decided(u.differs(zero), u)));
    },
    examples: &[Example {
        doc: "Two conditions, else",
        options: &[("Conditions", &["2"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 1.0, 2.0, 0.0], &[0.0, 1.0, 0.0, -1.0]],
        outputs: &[&[0.0, 1.0, 1.0, 0.0], &[0.0, 0.0, 0.0, 1.0], &[1.0, 0.0, 0.0, 0.0]],
    }],
};

fn outputs(settings: &Settings) -> Vec<String> {
    let conditions = (1..=settings.integer("Conditions")).map(|number| format!("If {number}"));
    conditions.chain(["Else".to_owned()]).collect()
}
