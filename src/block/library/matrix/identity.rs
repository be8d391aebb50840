use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Identity Matrix",
    doc: "Outputs the identity matrix, row after row",
    formula: "Y = I",
    aliases: &["eye", "unit matrix", "one", "mateye"],
    look: Look::rect(Face::Text("I")),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::integer("Size", 3, 1, 300).doc("The number of rows and columns")],
    build: |b| {
        let size = b.settings().integer("Size") as usize;
        let values: Vec<f64> =
            (0..size * size).map(|index| f64::from(u8::from(index / size == index % size))).collect();
        b.output(0, b.vector(&values));
    },
    examples: &[Example {
        doc: "A 2×2 matrix",
        options: &[("Size", &["2"])],
        delta: 1.0,
        widths: &[4],
        inputs: &[],
        outputs: &[&[1.0, 0.0, 0.0, 1.0]],
    }],
};
