use super::compare::{OPERATOR, compare};
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Compare To Zero",
    doc: "Compares its input with zero: 1 where the relation holds, else 0",
    formula: "y = u op 0; with not-a-number 0, for ≠ 1",
    aliases: &["relational operator", "is positive", "is negative", "is zero", "sign test"],
    look: Look::rect(Face::Param("Operator")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[OPERATOR],
    build: |b| {
        let u = b.input(0);
        b.output(0, b.decided(compare(b, u, b.constant(0.0)), u));
    },
    examples: &[Example {
        doc: "Not below zero",
        options: &[("Operator", &[">="])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[-1.0, 0.0, 1.0]],
        outputs: &[&[0.0, 1.0, 1.0]],
    }],
};
