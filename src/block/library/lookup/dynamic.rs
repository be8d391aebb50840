use crate::block::library::table::{below, within};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Lookup",
    name: "Lookup Table Dynamic",
    doc: "Interpolates its input in a table given by other inputs",
    formula: "as the 1-D lookup table, with breakpoints and outputs from inputs; the breakpoints must increase, and two equal ones are a jump",
    aliases: &["dynamic table", "interpolation", "lookup from signals"],
    look: Look::rect(Face::Strokes(&[
        &[(0.12, 0.88), (0.12, 0.12)],
        &[(0.12, 0.88), (0.88, 0.88)],
        &[(0.2, 0.7), (0.5, 0.5), (0.85, 0.2)],
        &[(0.45, 0.65), (0.55, 0.35)],
    ])),
    inputs: Ports::Fixed(&["Input", "Breakpoints", "Table"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::choice("Interpolation", &["linear", "linear within", "nearest", "below", "above"]).doc(
        "Straight lines, extrapolated outside or with the end values outside; the value at the nearest, next lower or \
             next higher breakpoint",
    )],
    build: |b| {
        let (u, knots, table) = (b.input(0), b.input(1), b.input(2));
        let count = b.common_width(&[knots, table]);
        if count < 2 {
            return b.output(0, b.select(u.is_nan(), u, table.element(0)));
        }
        let kind = b.settings().choice("Interpolation");
        let inside = u.clamp(knots.element(0), knots.element(knots.width() - 1));
        // If the table jumps at its first breakpoint, an input below it is on the other side of the jump.
        let at = b.settled(below(b, knots, u, count - 2));
        let (from, to) = (knots.pick(at), knots.pick(at + 1.0));
        b.crossing(u - from);
        b.crossing(u - to);
        let (near, far) = (table.pick(at), table.pick(at + 1.0));
        let f = within(b, if kind == "linear" { u } else { inside }, from, to);
        let y = match kind {
            "nearest" => b.select(b.decided(f.ge(0.5), f - 0.5), far, near),
            "below" => b.select(b.settled(f.ge(1.0)), far, near),
            "above" => b.select(b.settled(inside.le(from)), near, far),
            _ => near + f * (far - near),
        };
        let y = b.select(f.is_nan(), f, y);
        // A jump at an end is an interval without length.
        let side = b.select(u.is_nan(), u, b.select(b.settled(u.ge(to)), far, near));
        b.output(0, b.select(to.equals(from), side, y));
    },
    examples: &[
        Example {
            doc: "Inside and outside the breakpoints",
            options: &[],
            delta: 1.0,
            widths: &[1, 3, 3],
            inputs: &[&[0.5, 4.0], &[0.0, 1.0, 3.0, 0.0, 1.0, 3.0], &[0.0, 10.0, 30.0, 0.0, 10.0, 30.0]],
            outputs: &[&[5.0, 40.0]],
        },
        Example {
            doc: "Two breakpoints are a straight line",
            options: &[],
            delta: 1.0,
            widths: &[1, 2, 2],
            inputs: &[&[1.0, 6.0], &[0.0, 4.0, 0.0, 4.0], &[10.0, 18.0, 10.0, 18.0]],
            outputs: &[&[12.0, 22.0]],
        },
        Example {
            doc: "The value above",
            options: &[("Interpolation", &["above"])],
            delta: 1.0,
            widths: &[1, 3, 3],
            inputs: &[&[0.5, 1.0], &[0.0, 1.0, 3.0, 0.0, 1.0, 3.0], &[0.0, 10.0, 30.0, 0.0, 10.0, 30.0]],
            outputs: &[&[10.0, 10.0]],
        },
    ],
};
