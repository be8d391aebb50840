use super::compare::{OPERATOR, compare};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Compare To Constant",
    doc: "Compares its input with a constant: 1 where the relation holds, else 0",
    formula: "y = u op c; with not-a-number 0, for ≠ 1",
    aliases: &["relational operator", "threshold", "comparator", "greater than", "level detector"],
    look: Look::rect(Face::Param("Operator")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[OPERATOR, ParamDef::number("Constant", &[3.0]).vector().doc("The constant c")],
    build: |b| {
        let (u, constant) = (b.input(0), b.param("Constant"));
        b.output(0, b.decided(compare(b, u, constant), u - constant));
    },
    examples: &[Example {
        doc: "At most 3",
        options: &[("Operator", &["<="])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[2.0, 3.0, 4.0]],
        outputs: &[&[1.0, 1.0, 0.0]],
    }],
};
