use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Nonlinear",
    name: "Dead Zone Dynamic",
    doc: "Outputs 0 between two limit signals, and the signed distance from them outside",
    formula: "y = u − up where u ≥ up, u − low where u ≤ low, else 0",
    aliases: &["variable dead zone", "deadband dynamic", "dead band"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.85), (0.38, 0.5), (0.62, 0.5), (0.9, 0.15)],
        &[(0.38, 0.3), (0.38, 0.7)],
        &[(0.62, 0.3), (0.62, 0.7)],
    ])),
    inputs: Ports::Fixed(&["Upper", "Input", "Lower"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, super::dead_zone::dead_zone(b, b.input(1), b.input(2), b.input(0))),
    examples: &[Example {
        doc: "Varying limits",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 2.0, 1.0], &[3.0, -3.0, 0.5], &[-1.0, -1.0, 0.0]],
        outputs: &[&[2.0, -2.0, 0.0]],
    }],
};
