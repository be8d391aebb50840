use crate::block::library::pieces::periods;
use crate::block::library::table::{Grid, Method, OutOfRange, Position, doubles, knot_after};
use crate::block::{BlockDef, Builder, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Repeating Sequence",
    doc: "Repeats a curve through given points periodically",
    formula: "y = the curve through the points at first + (t mod (last − first)), first and last the outer times",
    aliases: &[
        "repeating table",
        "sawtooth",
        "periodic",
        "lookup source",
        "repeating sequence interpolated",
        "arbitrary waveform",
    ],
    look: Look::rect(Face::Strokes(&[&[
        (0.08, 0.8),
        (0.2, 0.3),
        (0.3, 0.5),
        (0.4, 0.8),
        (0.52, 0.3),
        (0.62, 0.5),
        (0.72, 0.8),
        (0.84, 0.3),
        (0.92, 0.45),
    ]])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Times", &[0.0, 2.0]).vector().fixed().unit("s").doc("The times of the points, increasing"),
        ParamDef::number("Values", &[0.0, 2.0]).vector().fixed().beside("Times").doc("The values of the points"),
        ParamDef::choice("Interpolation", &["linear", "flat", "nearest", "spline"])
            .doc("Between points: a straight line, the value before, the nearest value, a cubic spline"),
    ],
    build: |b| sequence(b),
    examples: &[
        Example {
            doc: "A sawtooth",
            options: &[],
            delta: 0.5,
            widths: &[],
            inputs: &[],
            outputs: &[&[0.0, 0.5, 1.0, 1.5, 0.0, 0.5]],
        },
        Example {
            doc: "Held between the points",
            options: &[("Times", &["0", "1", "3"]), ("Values", &["5", "7", "9"]), ("Interpolation", &["flat"])],
            delta: 1.0,
            widths: &[],
            inputs: &[],
            outputs: &[&[5.0, 7.0, 7.0, 5.0]],
        },
    ],
};

fn sequence<'b>(b: &'b Builder<'b>) {
    let times = b.settings().numbers("Times").to_vec();
    let grid = Grid::new(b, vec![times.clone()], b.settings().numbers("Values"), ["Times", "Values"]);
    let Some(grid) = grid.filter(|_| times.first() < times.last()) else {
        b.refuse("Times", "at least two points of different times are needed");
        return b.output(0, b.constant(0.0));
    };
    let (first, period) = (times[0], times[times.len() - 1] - times[0]);
    let method = Method::of(b);
    let count = periods(b, b.constant(0.0), b.constant(period));
    let whole = count.floor();
    let decided = ((count - whole) * period).max(0.0) + first;
    let begin = whole * period - first;
    let value = |within: Expr<'b>| grid.at(b, &[Position::new(b, &times, within, method, OutOfRange::Clip)], method);
    let y = match method.jumps(&times) {
        // The end of the period is the start of the next.
        Some(jumps) if b.locates() => {
            b.edge(begin + knot_after(b, &jumps, decided).min(times[times.len() - 1]));
            b.settled(value(decided))
        }
        _ => {
            let end = begin + times[times.len() - 1];
            let (edge, time) = match &doubles(&times)[..] {
                [] => (end, b.time()),
                jumps => {
                    let jump = begin + knot_after(b, jumps, decided);
                    (jump.min(end), b.time_before(jump))
                }
            };
            b.edge(edge);
            b.kink(begin + knot_after(b, &times, decided));
            // A step starts and ends within one period.
            value((time - b.settled(whole) * period).max(0.0) + first)
        }
    };
    b.output(0, y);
}
