use crate::block::{BlockDef, Body, Builder, Example, Face, Look, ParamDef, Ports, Settings};

pub static DEF: BlockDef = BlockDef {
    group: "Routing",
    name: "Demux",
    doc: "Splits a vector into parts",
    formula: "[y₁ y₂ …] = u",
    aliases: &["split", "unpack", "unbundle", "index array"],
    look: Look { body: Body::Bar, face: Face::Empty },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::By(outputs),
    params: &[ParamDef::number("Widths", &[1.0, 1.0])
        .between(1.0, 1e6)
        .vector()
        .fixed()
        .doc("The width of each part; their sum is the width of the input")],
    build,
    examples: &[Example {
        doc: "Two elements",
        options: &[],
        delta: 1.0,
        widths: &[2],
        inputs: &[&[1.0, 2.0, 3.0, 4.0]],
        outputs: &[&[1.0, 3.0], &[2.0, 4.0]],
    }],
};

fn outputs(settings: &Settings) -> Vec<String> {
    (1..=settings.numbers("Widths").len()).map(|number| format!("Output {number}")).collect()
}

fn build(b: &Builder) {
    let widths: Vec<usize> = b.settings().numbers("Widths").iter().map(|width| *width as usize).collect();
    let wanted: usize = widths.iter().sum();
    let u = b.input(0);
    if u.width() != wanted {
        b.refuse("Widths", format!("their sum is {wanted}, but the input has {} elements", u.width()));
        (0..widths.len()).for_each(|output| b.output(output, u));
        return;
    }
    let mut start = 0;
    for (output, width) in widths.into_iter().enumerate() {
        b.output(output, u.slice(start, width));
        start += width;
    }
}
