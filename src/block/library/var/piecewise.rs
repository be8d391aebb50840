use crate::block::library::table::{Grid, METHOD, Method, OUTSIDE, doubles, knot_after};
use crate::block::{BlockDef, Clock, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Var",
    name: "Piecewise",
    doc: "Generates a curve through given points",
    formula: "y = the curve through the points at t; before the first and after the last point the end value, or extrapolated",
    aliases: &[
        "from workspace",
        "curve",
        "hand drawn",
        "signal builder",
        "schedule",
        "profile",
        "data source",
        "table source",
        "curve_c",
        "hand-drawn curve",
        "sigbuilder",
        "piecewise source",
        "signal editor",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.08, 0.8), (0.25, 0.8), (0.4, 0.35), (0.55, 0.55), (0.7, 0.2), (0.92, 0.2)],
        &[(0.25, 0.77), (0.25, 0.83)],
        &[(0.55, 0.52), (0.55, 0.58)],
    ])),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Times", &[0.0, 1.0]).vector().fixed().unit("s").doc("The times of the points, increasing"),
        ParamDef::number("Values", &[0.0, 1.0]).vector().fixed().beside("Times").doc("The values of the points"),
        METHOD,
        OUTSIDE,
    ],
    build: |b| {
        let times = b.settings().numbers("Times").to_vec();
        let grid = Grid::new(b, vec![times.clone()], b.settings().numbers("Values"), ["Times", "Values"]);
        let Some(grid) = grid else { return b.output(0, b.time()) };
        let method = Method::of(b);
        let value = match method.jumps(&times) {
            Some(jumps) => {
                let decided = b.time_of_decision();
                b.edge(knot_after(b, &jumps, decided));
                // The tolerance keeps jumps that lie on a step of fixed length there.
                let decided = if b.locates() { decided } else { decided + b.clock(Clock::Delta) * 1e-9 };
                b.settled(grid.look_up(b, &[decided], method))
            }
            None => {
                let decided = b.time_of_decision();
                b.kink(knot_after(b, &times, decided));
                let time = match &doubles(&times)[..] {
                    [] => b.time(),
                    jumps => {
                        let edge = knot_after(b, jumps, decided);
                        b.edge(edge);
                        b.time_before(edge)
                    }
                };
                grid.look_up(b, &[time], method)
            }
        };
        b.output(0, value);
    },
    examples: &[
        Example {
            doc: "A rise, a constant, and the end value",
            options: &[("Times", &["0", "1", "2"]), ("Values", &["0", "2", "2"])],
            delta: 0.5,
            widths: &[],
            inputs: &[],
            outputs: &[&[0.0, 1.0, 2.0, 2.0, 2.0, 2.0]],
        },
        Example {
            doc: "Held between the points",
            options: &[("Times", &["0", "2", "3"]), ("Values", &["1", "5", "4"]), ("Interpolation", &["flat"])],
            delta: 1.0,
            widths: &[],
            inputs: &[],
            outputs: &[&[1.0, 1.0, 5.0, 4.0, 4.0]],
        },
    ],
};
