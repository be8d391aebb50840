use crate::block::library::table::{Grid, METHOD, Method, OUTSIDE};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Lookup",
    name: "1-D Lookup Table",
    doc: "Interpolates its input in a one-dimensional table",
    formula: "y = T_k + f·(T_{k+1} − T_k), f = (u − b_k)/(b_{k+1} − b_k), b_k the breakpoint below; or flat, nearest, curved \
              (de Boor: A Practical Guide to Splines, chapter IV; Akima, J. ACM 17, 1970; makima: Moler, Makima piecewise cubic interpolation, 2019)",
    aliases: &[
        "lookup table",
        "interpolation",
        "characteristic",
        "table",
        "intrp",
        "lookup1d",
        "curve",
        "lookup_c",
        "intrpl_f",
        "lut1d",
        "lut",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.12, 0.88), (0.12, 0.12)],
        &[(0.12, 0.88), (0.88, 0.88)],
        &[(0.2, 0.75), (0.4, 0.6), (0.55, 0.3), (0.85, 0.2)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Breakpoints", &[-5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
            .vector()
            .fixed()
            .doc("The input values of the table, increasing; two equal ones are a jump, where the value behind it counts"),
        ParamDef::number("Table", &[-1.0, -1.0, -1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0])
            .vector()
            .fixed()
            .beside("Breakpoints")
            .doc("The output at each breakpoint"),
        METHOD,
        OUTSIDE,
    ],
    build: |b| {
        let (u, points) = (b.input(0), b.settings().numbers("Breakpoints").to_vec());
        let grid = Grid::new(b, vec![points], b.settings().numbers("Table"), ["Breakpoints", "Table"]);
        b.output(0, grid.map_or(u, |grid| grid.look_up_located(b, &[u], Method::of(b))));
    },
    examples: &[
        Example {
            doc: "Inside and outside the breakpoints",
            options: &[("Breakpoints", &["0", "1", "3"]), ("Table", &["0", "10", "30"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.5, 2.0, 9.0, -1.0]],
            outputs: &[&[5.0, 20.0, 30.0, 0.0]],
        },
        Example {
            doc: "The nearest value, halfway the upper one",
            options: &[
                ("Breakpoints", &["0", "1", "3"]),
                ("Table", &["0", "10", "30"]),
                ("Interpolation", &["nearest"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.4, 0.5, 2.5]],
            outputs: &[&[0.0, 10.0, 30.0]],
        },
        Example {
            doc: "Extrapolated",
            options: &[
                ("Breakpoints", &["0", "1", "3"]),
                ("Table", &["0", "10", "50"]),
                ("Extrapolation", &["extrapolate"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[-1.0, 4.0]],
            outputs: &[&[-10.0, 70.0]],
        },
        Example {
            doc: "A spline through the points of a cubic",
            options: &[
                ("Breakpoints", &["-1", "0", "1", "2", "3"]),
                ("Table", &["-1", "0", "1", "8", "27"]),
                ("Interpolation", &["spline"]),
            ],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.5, 1.5, 2.5]],
            outputs: &[&[0.125, 3.375, 15.625]],
        },
    ],
};
