use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Signal",
    name: "ADC",
    doc: "Quantizes its input like an analog-to-digital converter, to a code and to the value of that code",
    formula: "code = clamp(⌊(u − low)/q⌋, 0, 2^bits − 1), q = (high − low)/2^bits; value = low + q·(code + ½) \
              (Kester: Data Conversion Handbook, 2005, chapter 2)",
    aliases: &["analog to digital converter", "quantize", "sampler", "resolution"],
    look: Look::rect(Face::Text("ADC")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Code", "Value"]),
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
        let step = (high - low) / levels;
        let code = ((u - low) / step).floor().clamp(0.0, levels - 1.0);
        b.output(0, code);
        b.output(1, low + step * (code + 0.5));
    },
    examples: &[Example {
        doc: "Two bits over the range from 0 to 4",
        options: &[("Bits", &["2"]), ("Low", &["0"]), ("High", &["4"])],
        delta: 1.0,
        widths: &[],
        inputs: &[&[0.3, 3.9, 9.0]],
        outputs: &[&[0.0, 3.0, 3.0], &[0.5, 3.5, 3.5]],
    }],
};
