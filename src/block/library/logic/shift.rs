use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Logic",
    name: "Shift Arithmetic",
    doc: "Shifts the bits of an integer to the left or right",
    formula: "left y = u·2ˢ; right y = ⌊u/2ˢ⌋",
    aliases: &["bit shift", "shift left", "shift right", "extract bits"],
    look: Look::rect(Face::Text("<< >>")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Direction", &["left", "right"]).doc("The direction of the shift"),
        ParamDef::number("Bits", &[1.0]).between(0.0, 1000.0).doc("The number of bits s, rounded to an integer"),
    ],
    build: |b| {
        b.leaves_unlocated();
        let (u, factor) = (b.input(0), b.constant(2.0).pow(b.param("Bits").round()));
        b.output(0, if b.settings().choice("Direction") == "right" { (u / factor).floor() } else { u * factor });
    },
    examples: &[
        Example {
            doc: "Left by three bits",
            options: &[("Bits", &["3"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[5.0, -1.0]],
            outputs: &[&[40.0, -8.0]],
        },
        Example {
            doc: "Right by two bits",
            options: &[("Direction", &["right"]), ("Bits", &["2"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[11.0, -1.0]],
            outputs: &[&[2.0, -1.0]],
        },
    ],
};
