use super::interval_test::{CLOSED_LEFT, CLOSED_RIGHT, inside};
use crate::block::{BlockDef, Example, Face, Look, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Interval Test Dynamic",
    doc: "Tests whether its input lies between two limit signals",
    formula: "y = 1 where low ≤ u ≤ up, else 0; < where a limit is excluded",
    aliases: &["window comparator", "range check", "in range", "between"],
    look: Look::rect(Face::Strokes(&[
        &[(0.1, 0.8), (0.3, 0.8), (0.3, 0.2), (0.7, 0.2), (0.7, 0.8), (0.9, 0.8)],
        &[(0.3, 0.4), (0.15, 0.4)],
        &[(0.7, 0.4), (0.85, 0.4)],
    ])),
    inputs: Ports::Fixed(&["Upper", "Input", "Lower"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[CLOSED_RIGHT, CLOSED_LEFT],
    build: |b| b.output(0, inside(b, b.input(1), b.input(2), b.input(0))),
    examples: &[Example {
        doc: "Varying limits",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[1.0, 1.0, 2.0], &[0.0, 2.0, 2.0], &[-1.0, -1.0, 3.0]],
        outputs: &[&[1.0, 0.0, 0.0]],
    }],
};
