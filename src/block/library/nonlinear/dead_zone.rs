use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Dead Zone",
    doc: "Outputs 0 inside a range, and the signed distance from the range outside it",
    formula: "y = u − end where u ≥ end, u − start where u ≤ start, else 0",
    aliases: &["deadband", "dead band", "threshold", "insensitive range"],
    look: Look::rect(Face::Strokes(&[&[(0.1, 0.85), (0.38, 0.5), (0.62, 0.5), (0.9, 0.15)]])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Start", &[-0.5]).vector().doc("The lower limit of the range"),
        ParamDef::number("End", &[0.5]).vector().doc("The upper limit of the range"),
    ],
    build: |b| b.output(0, dead_zone(b, b.input(0), b.param("Start"), b.param("End"))),
    examples: &[Example {
        doc: "A dead zone from -0.5 to 0.5",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[2.0, 0.25, -0.5, -2.0]],
        outputs: &[&[1.5, 0.0, 0.0, -1.5]],
    }],
};

/// Writes a dead zone; not-a-number stays.
pub(super) fn dead_zone<'b>(b: &'b Builder<'b>, u: Expr<'b>, start: Expr<'b>, end: Expr<'b>) -> Expr<'b> {
    b.crossing(u - start);
    b.crossing(u - end);
    let inside = b.select(u.is_nan(), u, 0.0);
    b.select(u.ge(end), u - end, b.select(u.le(start), u - start, inside))
}
