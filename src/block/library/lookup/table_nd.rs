use crate::block::library::table::{Grid, Method, OUTSIDE};
use crate::block::{BlockDef, Builder, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Lookup",
    name: "n-D Lookup Table",
    doc: "Interpolates its inputs in a table of as many dimensions",
    formula: "linear between 2ⁿ neighbours, along the last input first; or flat, nearest, a cubic spline \
              (de Boor: A Practical Guide to Splines, chapters IV and XVII)",
    aliases: &["lookup table", "multidimensional", "multilinear", "interpolation", "lookupnd"],
    look: Look::rect(Face::Text("n-D T(u)")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Sizes", &[2.0, 2.0])
            .vector()
            .fixed()
            .between(1.0, 1e6)
            .doc("The number of breakpoints of each dimension; each dimension has an input"),
        ParamDef::number("Breakpoints", &[0.0, 1.0, 0.0, 1.0])
            .vector()
            .fixed()
            .doc("The breakpoints of the first dimension, increasing, then those of the next; two equal ones are a jump"),
        ParamDef::number("Table", &[0.0, 1.0, 1.0, 2.0])
            .vector()
            .fixed()
            .doc("The outputs, with the last dimension varying fastest"),
        ParamDef::choice("Interpolation", &["linear", "flat", "nearest", "spline"])
            .doc("Between breakpoints: straight lines, the value below, the nearest value, a cubic spline (up to 4 dimensions)"),
        OUTSIDE,
    ],
    build: |b| {
        let Some(axes) = axes(b, b.settings().numbers("Breakpoints")) else { return b.output(0, b.input(0)) };
        let grid = Grid::new(b, axes, b.settings().numbers("Table"), ["Breakpoints", "Table"]);
        b.output(0, grid.map_or(b.input(0), |grid| grid.look_up_located(b, &b.inputs(), Method::of(b))));
    },
    examples: &[Example {
        doc: "Three dimensions: x + 10·y + 100·z",
        options: &[
            ("Sizes", &["2", "2", "2"]),
            ("Breakpoints", &["0", "1", "0", "1", "0", "1"]),
            ("Table", &["0", "100", "10", "110", "1", "101", "11", "111"]),
        ],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.5, 1.0], &[0.25, 0.0], &[0.5, 2.0]],
        outputs: &[&[53.0, 101.0]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    (1..=settings.numbers("Sizes").len()).map(|number| format!("Input {number}")).collect()
}

/// Returns the breakpoints of each dimension.
fn axes(b: &Builder, mut points: &[f64]) -> Option<Vec<Vec<f64>>> {
    let mut axes = Vec::new();
    for size in b.settings().numbers("Sizes") {
        let Some((axis, rest)) = points.split_at_checked(*size as usize) else {
            b.refuse("Sizes", "there are fewer breakpoints than the sizes require");
            return None;
        };
        axes.push(axis.to_vec());
        points = rest;
    }
    if !points.is_empty() {
        b.refuse("Sizes", format!("there are {} more breakpoints than the sizes require", points.len()));
    }
    Some(axes)
}
