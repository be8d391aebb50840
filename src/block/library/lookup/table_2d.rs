use crate::block::library::table::{Grid, Method, OUTSIDE};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Lookup",
    name: "2-D Lookup Table",
    doc: "Interpolates its two inputs in a table of rows and columns",
    formula: "linear between four neighbours, along the second input, then along the first; or flat, nearest, a cubic spline \
              (de Boor: A Practical Guide to Splines, chapters IV and XVII)",
    aliases: &[
        "lookup table",
        "map",
        "bilinear",
        "interpolation",
        "intrp2",
        "characteristic map",
        "lookup2d",
        "intrp2blk_f",
    ],
    look: Look::rect(Face::Strokes(&[
        &[(0.12, 0.12), (0.88, 0.12), (0.88, 0.88), (0.12, 0.88), (0.12, 0.12)],
        &[(0.12, 0.37), (0.88, 0.37)],
        &[(0.12, 0.63), (0.88, 0.63)],
        &[(0.37, 0.12), (0.37, 0.88)],
        &[(0.63, 0.12), (0.63, 0.88)],
    ])),
    inputs: Ports::Fixed(&["Input 1", "Input 2"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Breakpoints 1", &[0.0, 1.0])
            .vector()
            .fixed()
            .doc("The values of the first input, increasing, one for each row; two equal ones are a jump"),
        ParamDef::number("Breakpoints 2", &[0.0, 1.0])
            .vector()
            .fixed()
            .doc("The values of the second input, increasing, one for each column; two equal ones are a jump"),
        ParamDef::number("Table", &[0.0, 1.0, 1.0, 2.0])
            .vector()
            .fixed()
            .grid("Breakpoints 1", "Breakpoints 2")
            .doc("The outputs, row after row"),
        ParamDef::choice("Interpolation", &["linear", "flat", "nearest", "spline"]).doc(
            "Between breakpoints: straight lines, the value below, the nearest value, a cubic spline (not-a-knot)",
        ),
        OUTSIDE,
    ],
    build: |b| {
        let axes = ["Breakpoints 1", "Breakpoints 2"].map(|name| b.settings().numbers(name).to_vec());
        let grid = Grid::new(b, axes.to_vec(), b.settings().numbers("Table"), ["Breakpoints 1", "Table"]);
        b.output(0, grid.map_or(b.input(0), |grid| grid.look_up_located(b, &b.inputs(), Method::of(b))));
    },
    examples: &[Example {
        doc: "Inside and outside the breakpoints",
        options: &[
            ("Breakpoints 1", &["0", "2"]),
            ("Breakpoints 2", &["0", "1", "3"]),
            ("Table", &["0", "10", "30", "100", "110", "130"]),
        ],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 0.0, 9.0], &[0.5, 2.0, 9.0]],
        outputs: &[&[55.0, 20.0, 130.0]],
    }],
};
