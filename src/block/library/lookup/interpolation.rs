use crate::block::library::located;
use crate::block::library::table::{Grid, Method, Position};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings, Unary};

pub static DEF: BlockDef = BlockDef {
    group: "Lookup",
    name: "Interpolation Using Prelookup",
    doc: "Interpolates a table at the indices and fractions that prelookups have found",
    formula: "as the n-D lookup table, with index k and fraction f of each dimension from inputs",
    aliases: &["interpolation", "table after prelookup"],
    look: Look::rect(Face::Text("T(k, f)")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Sizes", &[2.0])
            .vector()
            .fixed()
            .between(1.0, 1e6)
            .doc("The number of breakpoints of each dimension; each dimension has an index and a fraction input"),
        ParamDef::number("Table", &[0.0, 1.0])
            .vector()
            .fixed()
            .doc("The outputs, with the last dimension varying fastest"),
        ParamDef::choice("Interpolation", &["linear", "flat", "nearest"])
            .doc("Between breakpoints: straight lines, the value below, the nearest value"),
    ],
    build: |b| {
        let sizes: Vec<usize> = b.settings().numbers("Sizes").iter().map(|size| *size as usize).collect();
        let axes = sizes.iter().map(|size| (0..*size).map(|knot| knot as f64).collect()).collect();
        let Some(grid) = Grid::new(b, axes, b.settings().numbers("Table"), ["Sizes", "Table"]) else {
            return b.output(0, b.input(0));
        };
        let method = Method::of(b);
        let positions = sizes.iter().enumerate().map(|(axis, size)| Position {
            index: located::unary(b, Unary::Trunc, b.input(2 * axis)).clamp(0.0, size.saturating_sub(2) as f64),
            fraction: b.input(2 * axis + 1),
            span: b.constant(1.0),
            has_next: *size > 1,
            has_jump: false,
            is_decided: b.locates() && method != Method::Linear,
        });
        b.output(0, grid.at(b, &positions.collect::<Vec<_>>(), method));
    },
    examples: &[Example {
        doc: "Halfway from the second to the third breakpoint",
        options: &[("Sizes", &["3"]), ("Table", &["0", "10", "30"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0], &[0.5]],
        outputs: &[&[20.0]],
    }],
};

fn inputs(settings: &Settings) -> Vec<String> {
    (1..=settings.numbers("Sizes").len())
        .flat_map(|axis| [format!("Index {axis}"), format!("Fraction {axis}")])
        .collect()
}
