use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Interval Test",
    doc: "Tests whether its input lies between two limits",
    formula: "y = 1 where low ≤ u ≤ high, else 0; < where a limit is excluded",
    aliases: &["window comparator", "range check", "in range", "between"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.8), (0.3, 0.8), (0.3, 0.2), (0.7, 0.2), (0.7, 0.8), (0.9, 0.8)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Upper Limit", &[0.5]).vector().doc("The upper limit"),
        ParamDef::number("Lower Limit", &[-0.5]).vector().doc("The lower limit"),
        CLOSED_RIGHT,
        CLOSED_LEFT,
    ],
    build: |b| b.output(0, inside(b, b.input(0), b.param("Lower Limit"), b.param("Upper Limit"))),
    examples: &[
        Example {
            doc: "Both limits included",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[-0.5, 0.0, 0.5, 0.6]],
            outputs: &[&[1.0, 1.0, 1.0, 0.0]],
        },
        Example {
            doc: "Upper limit excluded",
            options: &[("Closed Right", &["0"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[-0.5, 0.5]],
            outputs: &[&[1.0, 0.0]],
        },
    ],
};

pub(super) const CLOSED_RIGHT: ParamDef =
    ParamDef::flag("Closed Right", true).doc("Whether the upper limit is included");
pub(super) const CLOSED_LEFT: ParamDef = ParamDef::flag("Closed Left", true).doc("Whether the lower limit is included");

pub(super) fn inside<'b>(b: &'b Builder<'b>, u: Expr<'b>, low: Expr<'b>, high: Expr<'b>) -> Expr<'b> {
    let above = if b.settings().flag("Closed Left") { u.ge(low) } else { u.gt(low) };
    let below = if b.settings().flag("Closed Right") { u.le(high) } else { u.lt(high) };
    b.decided(above.and(below), b.join(&[u - low, u - high]))
}
