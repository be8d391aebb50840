use crate::block::library::table::{Method, OUTSIDE, OutOfRange, Position, axis_problem};
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Lookup",
    name: "Prelookup",
    doc: "Finds the index and fraction of its input among breakpoints, for tables that share them",
    formula: "k = index of the breakpoint below, from 0; f = (u − b_k)/(b_{k+1} − b_k)",
    aliases: &["index search", "breakpoint", "index and fraction"],
    look: Look::rect(Face::Text("k, f")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Index", "Fraction"]),
    params: &[
        ParamDef::number("Breakpoints", &[0.0, 1.0])
            .vector()
            .fixed()
            .doc("The breakpoints, increasing, at least two; two equal ones are a jump of the tables"),
        OUTSIDE,
    ],
    build: |b| {
        let (u, points) = (b.input(0), b.settings().numbers("Breakpoints"));
        let few = (points.len() < 2).then(|| "at least two breakpoints are needed".to_owned());
        if let Some(problem) = few.or_else(|| axis_problem(points)) {
            b.refuse("Breakpoints", problem);
            b.output(0, u);
            return b.output(1, u);
        }
        let position = Position::located(b, points, u, Method::Linear, OutOfRange::of(b));
        b.output(0, b.select(u, position.index, position.index));
        b.output(1, position.fraction);
    },
    examples: &[Example {
        doc: "A tenth of the way from the fifth to the sixth breakpoint",
        options: &[("Breakpoints", &["0", "5", "10", "20", "50", "100"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[55.0]],
        outputs: &[&[4.0], &[0.1]],
    }],
};
