use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "DAC",
    doc: "Converts an integer code to a value like a digital-to-analog converter",
    formula: "y = low + q·clamp(⌊u⌋, 0, 2^bits − 1), q = (high − low)/2^bits \
              (Kester: Data Conversion Handbook, 2005, chapter 2)",
    aliases: &["digital to analog converter", "converter"],
    look: Look::rect(Face::Text("DAC")),
    inputs: Ports::Fixed(&["Code"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::integer("Bits", 8, 1, 52).doc("The number of bits"),
        ParamDef::number("Low", &[-1.0]).doc("The lower limit of the range"),
        ParamDef::number("High", &[1.0]).doc("The upper limit of the range"),
        ParamDef::SAMPLE_TIME,
        ParamDef::SAMPLE_OFFSET,
    ],
    build: |b| {
        let (u, low, high) = (b.input(0), b.param("Low"), b.param("High"));
        let levels = 2f64.powi(b.settings().integer("Bits") as i32);
        b.output(0, low + (high - low) / levels * u.floor().clamp(0.0, levels - 1.0));
    },
    examples: &[Example {
        doc: "Two bits over the range from 0 to 4",
        options: &[("Bits", &["2"]), ("Low", &["0"]), ("High", &["4"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.0, 3.0, 9.0]],
        outputs: &[&[0.0, 3.0, 3.0]],
    }],
};
