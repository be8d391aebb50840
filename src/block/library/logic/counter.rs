use crate::block::{BlockDef, EDGES, Example, Face, Look, ParamDef, Ports, edge_of};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Event Counter",
    doc: "Counts how often its input crosses a threshold",
    formula: "y[n] = y[n−1] ± 1 where u crosses the threshold, else y[n−1]; y₀ while the reset is nonzero",
    aliases: &[
        "counter up",
        "counter down",
        "pulse counter",
        "edge counter",
        "totalizer",
        "tally",
        "counterup",
        "counterdown",
    ],
    look: Look::rect(Face::Strokes(&[&[
        (0.1, 0.85),
        (0.3, 0.85),
        (0.3, 0.6),
        (0.5, 0.6),
        (0.5, 0.35),
        (0.7, 0.35),
        (0.7, 0.1),
        (0.9, 0.1),
    ]])),
    inputs: Ports::Fixed(&["Input", "Reset"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Direction", &["up", "down"]).doc("Whether it counts up or down"),
        ParamDef::choice("Edge", &EDGES).doc("Which crossings are counted"),
        ParamDef::number("Threshold", &[0.0]).vector().doc("The threshold"),
        ParamDef::number("Initial Value", &[0.0]).vector().doc("The count y₀ at the start and after a reset"),
    ],
    build: |b| {
        b.leaves_unlocated();
        let (u, reset, initial) = (b.input(0), b.input(1), b.param("Initial Value"));
        let is_high = u.gt(b.param("Threshold"));
        // Not-a-number: before the first step the input is on neither side.
        let passed = edge_of(b.settings().choice("Edge"), is_high);
        let step = if b.settings().choice("Direction") == "down" { -passed } else { passed };
        let count =
            b.latch(b.common_width(&[passed, reset, initial]), initial, |count| b.select(reset, initial, count + step));
        b.output(0, count);
    },
    examples: &[
        Example {
            doc: "Three rising edges, one reset",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0], &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]],
            outputs: &[&[0.0, 1.0, 1.0, 2.0, 0.0, 0.0, 1.0]],
        },
        Example {
            doc: "Counting down at either edge",
            options: &[("Direction", &["down"]), ("Edge", &["either"]), ("Initial Value", &["10"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.0, 0.0], &[0.0, 0.0, 0.0]],
            outputs: &[&[10.0, 9.0, 8.0]],
        },
    ],
};
