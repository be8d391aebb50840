use crate::block::{Binary, BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Compare",
    doc: "Compares two signals: 1 where the relation holds, else 0",
    formula: "y = u₁ op u₂; with not-a-number 0, for ≠ 1",
    aliases: &[
        "relational operator",
        "greater",
        "less",
        "equal",
        "comparison",
        ">",
        "<",
        "==",
        "relationalop",
        "comparator",
    ],
    look: Look::rect(Face::Param("Operator")),
    inputs: Ports::Fixed(&["Input 1", "Input 2"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[OPERATOR],
    build: |b| {
        let (left, right) = (b.input(0), b.input(1));
        b.output(0, b.decided(compare(b, left, right), left - right));
    },
    examples: &[Example {
        doc: "Less than",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 2.0, f64::NAN], &[2.0, 2.0, 1.0]],
        outputs: &[&[1.0, 0.0, 0.0]],
    }],
};

pub(super) const OPERATOR: ParamDef =
    ParamDef::choice("Operator", &["<", "<=", ">", ">=", "==", "!="]).doc("The relation between the operands");

pub(super) fn compare<'b>(b: &'b Builder<'b>, left: Expr<'b>, right: Expr<'b>) -> Expr<'b> {
    let op = match b.settings().choice("Operator") {
        "<=" => Binary::Le,
        ">" => Binary::Gt,
        ">=" => Binary::Ge,
        "==" => Binary::Eq,
        "!=" => Binary::Ne,
        _ => Binary::Lt,
    };
    left.binary(op, right)
}
