use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, edge_of};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Frequency Divider",
    doc: "Outputs 1 at every n-th rising edge of its input",
    formula: "y = 1 where the number of rising edges becomes a multiple of n, else 0",
    aliases: &["freq_div", "divide by n", "prescaler", "event divider"],
    look: Look::rect(Face::Text("f / n")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::integer("Ratio", 2, 1, 1_000_000_000).doc("The number n of rising edges for each output of 1")],
    build: |b| {
        b.leaves_unlocated();
        let rises = edge_of("rising", b.input(0));
        let ratio = b.settings().integer("Ratio") as f64;
        let count = b.latch(rises.width(), 0.0, |count| (count + rises).modulo(ratio));
        b.output(0, b.at_step(rises.and(count.equals(0.0))));
    },
    examples: &[Example {
        doc: "Every second edge",
        options: &[],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]],
        outputs: &[&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]],
    }],
};
